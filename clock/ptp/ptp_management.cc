// SPDX-License-Identifier: Apache-2.0
#include "clock/ptp/ptp_management.h"

#include "host/byte_cursor.h"

namespace hilgate {
namespace {

constexpr std::size_t kTlv = 48;   // where the one TLV starts
constexpr std::size_t kData = 54;  // where its data starts
constexpr std::uint16_t kTlvManagement = 0x0001;
constexpr std::uint16_t kTlvErrorStatus = 0x0002;
constexpr std::uint8_t kGet = 0;
constexpr std::uint8_t kSet = 1;
constexpr std::uint8_t kResponse = 2;

std::vector<std::byte> make_request(const ManagementRequest& request, std::uint8_t action, std::size_t data_length) {
  std::vector<std::byte> out(kData + data_length);
  store_be(std::span{out}, 0, std::uint8_t{0x0d});
  store_be(std::span{out}, 1, std::uint8_t{0x02});
  store_be(std::span{out}, 2, static_cast<std::uint16_t>(out.size()));
  store_be(std::span{out}, 4, request.domain);
  store_identity(std::span{out}, 20, request.sender);
  store_be(std::span{out}, 30, request.sequence);
  store_be(std::span{out}, 32, std::uint8_t{4});
  store_be(std::span{out}, 33, std::uint8_t{0x7f});
  for (std::size_t i = 34; i < 44; ++i) {
    out[i] = std::byte{0xff};  // every clock, every port; boundary hops 0 keep it on this daemon
  }
  store_be(std::span{out}, 46, action);
  store_be(std::span{out}, kTlv, kTlvManagement);
  store_be(std::span{out}, 50, static_cast<std::uint16_t>(2 + data_length));
  store_be(std::span{out}, 52, static_cast<std::uint16_t>(request.id));
  return out;
}

Nanoseconds from_time_interval(std::int64_t scaled) {
  return Nanoseconds{scaled >> 16};
}

}  // namespace

std::vector<std::byte> make_get(const ManagementRequest& request) {
  return make_request(request, kGet, 0);
}

std::vector<std::byte> make_subscription(const ManagementRequest& request, std::uint16_t seconds) {
  constexpr std::size_t kMaskBytes = 64;
  ManagementRequest subscription = request;
  subscription.id = ManagementId::kSubscribeEventsNp;
  std::vector<std::byte> out = make_request(subscription, kSet, 2 + kMaskBytes);
  store_be(std::span{out}, kData, seconds);
  out[kData + 2] = std::byte{1};  // NOTIFY_PORT_STATE
  return out;
}

std::optional<ManagementReply> parse_management(std::span<const std::byte> message) {
  if (message.size() < kData || (load_be<std::uint8_t>(message, 0) & 0xf) != 0xd ||
      (load_be<std::uint8_t>(message, 1) & 0xf) != 2 || load_be<std::uint8_t>(message, 46) != kResponse) {
    return std::nullopt;
  }
  const auto tlv = load_be<std::uint16_t>(message, kTlv);
  const std::size_t end = kTlv + 4 + std::size_t{load_be<std::uint16_t>(message, 50)};
  const std::size_t length = load_be<std::uint16_t>(message, 2);
  if (end < kData || end > length || length > message.size()) {
    return std::nullopt;
  }
  ManagementReply reply;
  reply.source = load_port_identity(message, 20);
  reply.target = load_port_identity(message, 34);
  reply.domain = load_be<std::uint8_t>(message, 4);
  reply.sequence = load_be<std::uint16_t>(message, 30);
  if (tlv == kTlvManagement) {
    reply.id = load_be<std::uint16_t>(message, 52);
    reply.data = message.subspan(kData, end - kData);
    return reply;
  }
  if (tlv == kTlvErrorStatus && end >= 60) {
    reply.error = load_be<std::uint16_t>(message, 52);
    reply.id = load_be<std::uint16_t>(message, 54);
    return reply;
  }
  return std::nullopt;
}

std::optional<TimeStatus> parse_time_status(std::span<const std::byte> data) {
  if (data.size() < 50) {
    return std::nullopt;
  }
  TimeStatus status;
  status.master_offset = Nanoseconds{load_be<std::int64_t>(data, 0)};
  status.ingress_ns = load_be<std::int64_t>(data, 8);
  status.grandmaster_is_other = load_be<std::int32_t>(data, 38) != 0;
  status.grandmaster = load_clock_identity(data, 42);
  return status;
}

std::optional<CurrentDataSet> parse_current_data_set(std::span<const std::byte> data) {
  if (data.size() < 18) {
    return std::nullopt;
  }
  return CurrentDataSet{load_be<std::uint16_t>(data, 0), from_time_interval(load_be<std::int64_t>(data, 10))};
}

std::optional<TimeProperties> parse_time_properties(std::span<const std::byte> data) {
  if (data.size() < 4) {
    return std::nullopt;
  }
  const auto flags = load_be<std::uint8_t>(data, 2);
  TimeProperties properties;
  properties.utc_offset_s = load_be<std::int16_t>(data, 0);
  properties.leap_61 = (flags & 1) != 0;
  properties.leap_59 = (flags & 2) != 0;
  properties.utc_offset_valid = (flags & 4) != 0;
  properties.ptp_timescale = (flags & 8) != 0;
  return properties;
}

std::optional<PortDataSet> parse_port_data_set(std::span<const std::byte> data) {
  if (data.size() < 26) {
    return std::nullopt;
  }
  PortDataSet port;
  port.port = load_port_identity(data, 0);
  port.state = port_state(load_be<std::uint8_t>(data, 10));
  port.peer_mean_path_delay = from_time_interval(load_be<std::int64_t>(data, 12));
  port.log_sync_interval = load_be<std::int8_t>(data, 22);
  port.delay_mechanism = load_be<std::uint8_t>(data, 23);
  return port;
}

}  // namespace hilgate
