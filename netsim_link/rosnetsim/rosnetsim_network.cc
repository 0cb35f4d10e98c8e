// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/rosnetsim/rosnetsim_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "netsim_link/rosnetsim/rosnetsim_network.pb.h"

namespace hilgate::rosnetsim {
namespace {

using Message = wire::rosnetsim::NetworkUpdate;

// The reference coordinator zips the lists: the shortest wins (1.6). We do too, but say so.
int common_length(std::initializer_list<int> sizes, std::string_view what, MaybeFault& fault) {
  const auto [shortest, longest] = std::minmax(sizes);
  if (shortest != longest && !fault) {
    fault = ProtocolFault{
        ProtocolError::kUnequalArrays,
        fmt::format("lists of {} have {} entries; the first {} were used", what, fmt::join(sizes, ", "), shortest)};
  }
  return shortest;
}

PacketKey key_at(const Message& message, int i) {
  return {.id = message.pkt_id(i), .src_ip = message.src_ip(i), .dst_ip = message.dst_ip(i)};
}

void add_key(const PacketKey& key, Message& message) {
  message.add_pkt_id(key.id);
  message.add_src_ip(key.src_ip);
  message.add_dst_ip(key.dst_ip);
}

constexpr std::int64_t kNoTime = -1;  // on the wire, where the lists are of one length

template <class Times>
std::optional<std::int64_t> time_at(const Times& times, int i) {
  return i < times.size() && times.Get(i) >= 0 ? std::make_optional<std::int64_t>(times.Get(i)) : std::nullopt;
}

void read_offers(const Message& message, NetworkUpdate& update, MaybeFault& fault) {
  const int packets =
      common_length({message.pkt_id_size(), message.src_ip_size(), message.dst_ip_size(), message.pkt_lengths_size()},
                    "packets", fault);
  for (int i = 0; i < packets; ++i) {
    update.offered.push_back({.key = key_at(message, i),
                              .length = message.pkt_lengths(i),
                              .captured_ns = time_at(message.captured_ns(), i)});
  }
}

void read_deliveries(const Message& message, NetworkUpdate& update, MaybeFault& fault) {
  const int packets = common_length(
      {message.pkt_id_size(), message.src_ip_size(), message.dst_ip_size(), message.rx_ip_size(), message.ber_size()},
      "deliveries", fault);
  for (int i = 0; i < packets; ++i) {
    update.delivered.push_back({.key = key_at(message, i),
                                .rx_ip = message.rx_ip(i),
                                .ber = message.ber(i),
                                .release_ns = time_at(message.release_ns(), i)});
  }
  const int clears = common_length(
      {message.clear_pkt_id_size(), message.clear_src_ip_size(), message.clear_dst_ip_size()}, "clears", fault);
  for (int i = 0; i < clears; ++i) {
    update.cleared.push_back(
        {.id = message.clear_pkt_id(i), .src_ip = message.clear_src_ip(i), .dst_ip = message.clear_dst_ip(i)});
  }
}

}  // namespace

void encode(const NetworkUpdate& update, bool extensions, std::string& plain) {
  Message message;
  message.set_msg_type(update.end ? Message::END : Message::BEGIN);
  message.set_time_val(update.window);
  message.set_channel_data(update.channel_data);
  for (const Offered& packet : update.offered) {
    add_key(packet.key, message);
    message.add_pkt_lengths(packet.length);
    if (extensions) {
      message.add_captured_ns(packet.captured_ns.value_or(kNoTime));
    }
  }
  for (const Delivered& packet : update.delivered) {
    add_key(packet.key, message);
    message.add_rx_ip(packet.rx_ip);
    message.add_ber(packet.ber);
    if (extensions) {
      message.add_release_ns(packet.release_ns.value_or(kNoTime));
    }
  }
  for (const PacketKey& key : update.cleared) {
    message.add_clear_pkt_id(key.id);
    message.add_clear_src_ip(key.src_ip);
    message.add_clear_dst_ip(key.dst_ip);
  }
  message.SerializeToString(&plain);
}

MaybeFault decode(std::string_view plain, NetworkUpdate& update) {
  Message message;
  if (!message.ParseFromArray(plain.data(), static_cast<int>(plain.size()))) {
    return ProtocolFault{ProtocolError::kBadMessage, fmt::format("invalid NetworkUpdate of {} bytes", plain.size())};
  }
  update.end = message.msg_type() == Message::END;
  update.window = message.time_val();
  update.channel_data = std::move(*message.mutable_channel_data());
  update.offered.clear();
  update.delivered.clear();
  update.cleared.clear();
  MaybeFault fault;
  if (update.end) {
    read_deliveries(message, update, fault);
  } else {
    read_offers(message, update, fault);
  }
  return fault;
}

std::string dotted(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 0xFF, address >> 8 & 0xFF, address & 0xFF);
}

Addresses::Addresses(std::vector<std::uint32_t> by_robot) : by_robot_(std::move(by_robot)) {
  for (std::uint32_t i = 0; i < by_robot_.size(); ++i) {
    robots_.emplace(by_robot_[i], RobotIndex{i});
  }
}

std::optional<RobotIndex> Addresses::robot_of(std::uint32_t address) const {
  const auto found = robots_.find(address);
  return found != robots_.end() ? std::optional(found->second) : std::nullopt;
}

std::string Addresses::text() const {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < by_robot_.size() && i < kMost; ++i) {
    text += (i > 0 ? ", " : "") + dotted(by_robot_[i]);
  }
  return by_robot_.size() > kMost ? text + ", ..." : text;
}

}  // namespace hilgate::rosnetsim
