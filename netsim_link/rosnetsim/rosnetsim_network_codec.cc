// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/rosnetsim/rosnetsim_network_codec.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "physics_link/foreign_numbers.h"
#include "physics_link/rosnetsim/rosnetsim_physics.h"

namespace hilgate {
namespace {

constexpr std::uint32_t kEthernetHeader = 14;  // bytes; ROS-NetSim's packets begin with their IP header

MaybeFault read_rate(const rosnetsim::Delivered& delivered, Verdict& verdict) {
  if (delivered.ber >= 0 && delivered.ber < 1) {
    verdict.ber = delivered.ber;
    return std::nullopt;
  }
  verdict.drop = AirDrop::kBitErrors;
  if (delivered.ber == 1) {
    return std::nullopt;
  }
  return ProtocolFault{
      ProtocolError::kBadValue,
      fmt::format("bit error rate of {} for packet {}; the packet is dropped", delivered.ber, delivered.key.id)};
}

}  // namespace

RosNetSimNetworkCodec::RosNetSimNetworkCodec(RosNetSimNetworkOptions options)
    : options_(std::move(options)), robots_(options_.robot_ips), gzip_(options_.gzip_level) {}

void RosNetSimNetworkCodec::pack(bool extensions, std::string& body) {
  rosnetsim::encode(update_, extensions, plain_);
  body.clear();
  gzip_.pack(plain_, body);
}

// Physics that speaks ROS-NetSim itself is passed on untouched, as the reference coordinator does.
void RosNetSimNetworkCodec::take_channels(const NetworkQuestion& question) {
  if (question.payload != nullptr && question.payload->form == PeerPayload::Form::kRosNetSimChannels) {
    channels_ = question.payload->bytes;
  } else if (question.fresh && question.scene != nullptr) {
    rosnetsim::encode_channels(*question.scene, plain_);
    channels_.clear();
    gzip_.pack(plain_, channels_);
  }
}

// Packets that are not IPv4, or have other addresses than the robots', travel under their robots' addresses: ROS-NetSim
// knows no others.
rosnetsim::PacketKey RosNetSimNetworkCodec::key_of(const CapturedPacket& packet) const {
  return {.id = static_cast<std::uint32_t>(packet.id),
          .src_ip = robots_.known(packet.src_ip, packet.sender),
          .dst_ip = packet.receiver ? robots_.known(packet.dst_ip, *packet.receiver) : rosnetsim::kBroadcast};
}

void RosNetSimNetworkCodec::encode_begin(const NetworkQuestion& question, std::string& body) {
  step_ = question.step;
  take_channels(question);
  update_.end = false;
  update_.window = static_cast<std::uint32_t>(step_.number);
  update_.channel_data = channels_;
  update_.delivered.clear();
  update_.cleared.clear();
  update_.offered.clear();
  for (const CapturedPacket& packet : question.packets) {
    update_.offered.push_back({.key = key_of(packet),
                               .length = packet.length - std::min(packet.length, kEthernetHeader),
                               .captured_ns = packet.captured.time_since_epoch().count()});
    last_id_ = packet.id;
  }
  pack(options_.extensions, body);
}

// The wire has the low half of our ids, and no packet waits for 2^32 others.
std::uint64_t RosNetSimNetworkCodec::full_id(std::uint32_t wire_id) const {
  return last_id_ - static_cast<std::uint32_t>(static_cast<std::uint32_t>(last_id_) - wire_id);
}

MaybeFault RosNetSimNetworkCodec::read_delivery(const rosnetsim::Delivered& delivered, NetworkAnswer& answer) const {
  const std::optional<RobotIndex> receiver = robots_.robot_of(delivered.rx_ip);
  if (!receiver) {
    return ProtocolFault{ProtocolError::kBadValue,
                         fmt::format("packet {} for receiver {}, which is no robot's address; the robots have {}",
                                     delivered.key.id, rosnetsim::dotted(delivered.rx_ip), robots_.text())};
  }
  Verdict verdict{
      .packet = full_id(delivered.key.id), .receiver = *receiver, .release_at = step_.end(), .at_once = true};
  if (delivered.release_ns) {
    verdict.release_at = nearest_time(*delivered.release_ns);
    verdict.at_once = false;
  }
  MaybeFault fault = read_rate(delivered, verdict);
  answer.verdicts.push_back(verdict);
  return fault;
}

MaybeFault RosNetSimNetworkCodec::decode_end(std::string_view body, NetworkAnswer& answer) {
  answer.verdicts.clear();
  answer.forget.clear();
  answer.has_links = false;
  answer.payload.bytes.clear();
  if (MaybeFault fault = gzip_.unpack(body, plain_)) {
    return fault;
  }
  MaybeFault fault = rosnetsim::decode(plain_, update_);
  if (fault && !is_soft(fault->error)) {
    return fault;
  }
  const auto asked = static_cast<std::uint32_t>(step_.number);
  if (!update_.end) {
    return rosnetsim::no_end(update_.window, asked);
  }
  if (options_.check_window && update_.window != asked && !std::exchange(told_window_, true) && !fault) {
    fault = rosnetsim::other_window(update_.window, asked);
  }
  for (const rosnetsim::Delivered& delivered : update_.delivered) {
    if (MaybeFault wrong = read_delivery(delivered, answer); wrong && !fault) {
      fault = std::move(wrong);
    }
  }
  for (const rosnetsim::PacketKey& key : update_.cleared) {
    answer.forget.push_back(full_id(key.id));
  }
  return fault;
}

// When a packet was captured is not known but that it was before the step: later than it really was, so that no delay
// from there on is too short.
std::optional<CapturedPacket> RosNetSimNetworkCodec::packet_of(const rosnetsim::Offered& offered) const {
  const std::optional<RobotIndex> sender = robots_.robot_of(offered.key.src_ip);
  const std::optional<RobotIndex> receiver = robots_.robot_of(offered.key.dst_ip);
  if (!sender || (!receiver && !rosnetsim::is_group(offered.key.dst_ip))) {
    return std::nullopt;
  }
  return CapturedPacket{.id = offered.key.id,
                        .captured = offered.captured_ns ? nearest_time(*offered.captured_ns) : step_.from,
                        .sender = *sender,
                        .receiver = receiver,
                        .length = offered.length + kEthernetHeader,
                        .src_ip = offered.key.src_ip,
                        .dst_ip = offered.key.dst_ip};
}

// A packet from or to an unknown address is cleared and reaches no robot.
MaybeFault RosNetSimNetworkCodec::refuse(const rosnetsim::PacketKey& key) {
  forgotten_.push_back(key.id);
  first_refused_ = refused_++ == 0 ? key : first_refused_;
  return ProtocolFault{ProtocolError::kBadValue,
                       fmt::format("packet {} from {} to {}: the robots here have {}; it reaches no robot", key.id,
                                   rosnetsim::dotted(key.src_ip), rosnetsim::dotted(key.dst_ip), robots_.text())};
}

std::string RosNetSimNetworkCodec::shortcoming() const {
  if (refused_ == 0) {
    return {};
  }
  return fmt::format(
      "{} of {} packets were not from and to the robots' addresses, {}, and reached no robot; the first was from {} to "
      "{}",
      refused_, offered_, robots_.text(), rosnetsim::dotted(first_refused_.src_ip),
      rosnetsim::dotted(first_refused_.dst_ip));
}

MaybeFault RosNetSimNetworkCodec::decode_begin(std::string_view body, ReceivedNetworkQuestion& question) {
  if (MaybeFault fault = gzip_.unpack(body, plain_)) {
    return fault;
  }
  MaybeFault fault = rosnetsim::decode(plain_, update_);
  if (fault && !is_soft(fault->error)) {
    return fault;
  }
  if (update_.end) {
    return ProtocolFault{ProtocolError::kUnexpected, "received END from a coordinator, which may send BEGIN only"};
  }
  step_ = {.window = update_.window,
           .number = update_.window,
           .from = bounded_start(update_.window, options_.window),
           .length = options_.window};
  question.step = step_;
  question.packets.clear();
  for (const rosnetsim::Offered& offered : update_.offered) {
    ++offered_;
    told_captures_ = offered.captured_ns.has_value();
    keys_.insert_or_assign(offered.key.id, offered.key);
    if (const auto packet = packet_of(offered)) {
      question.packets.push_back(*packet);
    } else if (MaybeFault unknown = refuse(offered.key); !fault) {
      fault = std::move(unknown);
    }
  }
  question.fresh = !update_.channel_data.empty() && update_.channel_data != channels_;
  if (!question.fresh) {
    return fault;
  }
  channels_ = update_.channel_data;
  if (MaybeFault bad = gzip_.unpack(channels_, plain_)) {
    return bad;
  }
  MaybeFault channels = rosnetsim::decode_channels(plain_, robots_.robots(), options_.sight, question.scene);
  question.has_scene = question.has_scene || !channels || is_soft(channels->error);
  question.scene.at = step_.from;
  question.payload = {.form = PeerPayload::Form::kRosNetSimChannels, .bytes = channels_};
  return channels ? channels : fault;
}

void RosNetSimNetworkCodec::list_due() {
  const SimTime last = told_captures_ || options_.listing == Listing::kInStep ? step_.end() : step_.from;
  const auto due = std::stable_partition(waiting_.begin(), waiting_.end(),
                                         [last](const Verdict& verdict) { return verdict.release_at > last; });
  for (const Verdict& verdict : std::span(due, waiting_.end())) {
    const auto key = keys_.find(verdict.packet);
    if (key != keys_.end() && verdict.drop == AirDrop::kNone && robots_.knows(verdict.receiver)) {
      update_.delivered.push_back({.key = key->second,
                                   .rx_ip = robots_.of(verdict.receiver),
                                   .ber = verdict.ber,
                                   .release_ns = verdict.release_at.time_since_epoch().count()});
    }
  }
  waiting_.erase(due, waiting_.end());
}

// A packet may be cleared when the simulator has forgotten it and none of its verdicts waits any more.
void RosNetSimNetworkCodec::list_cleared() {
  std::erase_if(forgotten_, [this](std::uint64_t id) {
    if (std::ranges::find(waiting_, id, &Verdict::packet) != waiting_.end()) {
      return false;
    }
    if (const auto key = keys_.find(id); key != keys_.end()) {
      update_.cleared.push_back(key->second);
      keys_.erase(key);
    }
    return true;
  });
}

void RosNetSimNetworkCodec::encode_end(const NetworkAnswer& answer, std::string& body) {
  update_.end = true;
  update_.window = static_cast<std::uint32_t>(step_.number);
  update_.channel_data.clear();
  update_.offered.clear();
  update_.delivered.clear();
  update_.cleared.clear();
  waiting_.insert(waiting_.end(), answer.verdicts.begin(), answer.verdicts.end());
  forgotten_.insert(forgotten_.end(), answer.forget.begin(), answer.forget.end());
  list_due();
  list_cleared();
  pack(options_.extensions && told_captures_, body);
}

}  // namespace hilgate
