// SPDX-License-Identifier: Apache-2.0
// PTP management messages as linuxptp's ptp4l speaks them on its local socket (IEEE 1588-2008, clause 15, and
// linuxptp's own ids from 0xc000). Pure functions over bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clock/ptp/ptp_identity.h"
#include "clock/time.h"

namespace hilgate {

enum class ManagementId : std::uint16_t {
  kCurrentDataSet = 0x2001,
  kParentDataSet = 0x2002,
  kTimeProperties = 0x2003,
  kPortDataSet = 0x2004,
  kTimeStatusNp = 0xc000,
  kSubscribeEventsNp = 0xc003,
};

struct ManagementRequest {
  PortIdentity sender{};  // ptp4l answers to it and distinguishes subscribers by it
  std::uint8_t domain = 0;
  std::uint16_t sequence = 0;
  ManagementId id = ManagementId::kTimeStatusNp;
};

/// An answer or a notification. `data` points into the bytes that were parsed.
struct ManagementReply {
  PortIdentity source;
  PortIdentity target;
  std::uint8_t domain = 0;
  std::uint16_t sequence = 0;
  std::uint16_t id = 0;
  std::optional<std::uint16_t> error;  // set: the request was refused, and `data` is empty
  std::span<const std::byte> data;
};

/// TIME_STATUS_NP. All of it is ptp4l's state at the last Sync.
struct TimeStatus {
  Nanoseconds master_offset{0};       // local clock minus grandmaster
  std::int64_t ingress_ns = 0;        // local clock when the Sync arrived; 0: no measurement
  bool grandmaster_is_other = false;  // linuxptp's gmPresent: not a sign of life
  ClockIdentity grandmaster;
};

struct CurrentDataSet {
  std::uint16_t steps_removed = 0;
  Nanoseconds mean_path_delay{0};  // 0 until the first measurement
};

struct TimeProperties {
  std::int16_t utc_offset_s = 0;
  bool leap_61 = false;
  bool leap_59 = false;
  bool utc_offset_valid = false;
  bool ptp_timescale = false;
};

struct PortDataSet {
  PortIdentity port;
  PtpPortState state = PtpPortState::kUnknown;
  Nanoseconds peer_mean_path_delay{0};
  std::int8_t log_sync_interval = 0;
  std::uint8_t delay_mechanism = 0;  // 1 end to end, 2 peer to peer
};

std::vector<std::byte> make_get(const ManagementRequest& request);
/// Asks for a notification at every change of a port's state, for `seconds`.
std::vector<std::byte> make_subscription(const ManagementRequest& request, std::uint16_t seconds);

/// Nothing for bytes that are no management response of version 2 with one TLV that is all there.
std::optional<ManagementReply> parse_management(std::span<const std::byte> message);

// Nothing when the data is shorter than the data set.
std::optional<TimeStatus> parse_time_status(std::span<const std::byte> data);
std::optional<CurrentDataSet> parse_current_data_set(std::span<const std::byte> data);
std::optional<TimeProperties> parse_time_properties(std::span<const std::byte> data);
std::optional<PortDataSet> parse_port_data_set(std::span<const std::byte> data);

}  // namespace hilgate
