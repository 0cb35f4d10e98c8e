// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/native/native_network_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics_link/foreign_numbers.h"
#include "physics_link/native/native.pb.h"
#include "physics_link/native/native_protocol.h"

namespace hilgate::native {
namespace {

using wire::native::Message;

std::int64_t ns(SimTime at) {
  return at.time_since_epoch().count();
}

void write_packet(const CapturedPacket& packet, wire::native::Packet& out) {
  out.set_id(packet.id);
  out.set_captured_ns(ns(packet.captured));
  out.set_sender(packet.sender.value());
  out.set_receiver(packet.receiver ? static_cast<std::int32_t>(packet.receiver->value()) : -1);
  out.set_length(packet.length);
  out.set_src_ip(packet.src_ip);
  out.set_dst_ip(packet.dst_ip);
  out.set_traffic_class(packet.traffic_class);
}

CapturedPacket read_packet(const wire::native::Packet& in) {
  CapturedPacket packet{.id = in.id(),
                        .captured = nearest_time(in.captured_ns()),
                        .sender = RobotIndex{in.sender()},
                        .receiver = std::nullopt,
                        .length = in.length(),
                        .src_ip = in.src_ip(),
                        .dst_ip = in.dst_ip(),
                        .traffic_class = static_cast<std::uint8_t>(in.traffic_class())};
  if (in.receiver() >= 0) {
    packet.receiver = RobotIndex{static_cast<std::uint32_t>(in.receiver())};
  }
  return packet;
}

MaybeFault read_packets(const wire::native::Begin& in, std::size_t robots, std::vector<CapturedPacket>& packets) {
  MaybeFault fault;
  for (const auto& packet : in.packets()) {
    const bool good = packet.sender() < robots && packet.receiver() >= -1 &&
                      (packet.receiver() < 0 || static_cast<std::size_t>(packet.receiver()) < robots);
    if (good) {
      packets.push_back(read_packet(packet));
    } else if (!fault) {
      fault = ProtocolFault{ProtocolError::kBadValue,
                            fmt::format("packet {} from robot {} to {}; robots are 0..{}", packet.id(), packet.sender(),
                                        packet.receiver(), robots - 1)};
    }
  }
  return fault;
}

// -ln(1 - BER), exact near 0 and infinite at 1.
BitHazard hazard_of(double ber) {
  return {ber >= 1 ? std::numeric_limits<double>::infinity() : -std::log1p(-ber)};
}
double ber_of(BitHazard hazard) {
  return -std::expm1(-hazard.per_bit);
}

void write_link(const LinkUpdate& link, wire::native::LinkState& out) {
  out.set_sender(link.sender.value());
  out.set_receiver(link.receiver.value());
  out.set_unreachable(!link.state.reachable);
  out.set_ber(ber_of(link.state.unicast));
  out.set_delay_ns(link.state.delay.count());
  out.set_snr_db(link.state.snr_db);
  out.set_rssi_dbm(link.state.rssi_dbm);
  out.set_mode(link.state.unicast_mode);
}

LinkUpdate read_link(const wire::native::LinkState& in) {
  LinkState state;
  state.unicast = state.multicast = hazard_of(in.ber());
  state.delay = bounded_delay(in.delay_ns()).value_or(Nanoseconds{0});
  state.rssi_dbm = static_cast<float>(bounded_decibels(static_cast<double>(in.rssi_dbm())).value_or(0));
  state.snr_db = static_cast<float>(bounded_decibels(static_cast<double>(in.snr_db())).value_or(0));
  state.unicast_mode = state.multicast_mode = static_cast<std::uint8_t>(in.mode());
  state.reachable = !in.unreachable();
  return {.sender = RobotIndex{in.sender()}, .receiver = RobotIndex{in.receiver()}, .state = state};
}

MaybeFault read_links(const wire::native::End& in, std::size_t robots, NetworkEnd& end) {
  MaybeFault fault;
  for (const auto& link : in.links()) {
    const bool good = link.sender() < robots && link.receiver() < robots && link.ber() >= 0 && link.ber() <= 1 &&
                      bounded_delay(link.delay_ns()) && !std::isnan(link.snr_db()) && !std::isnan(link.rssi_dbm()) &&
                      link.mode() <= std::numeric_limits<std::uint8_t>::max();
    if (good) {
      end.links.push_back(read_link(link));
    } else if (!fault) {
      fault = ProtocolFault{
          ProtocolError::kBadValue,
          fmt::format("link {} -> {} with BER {}, delay {} ns, mode {}; robots are 0..{}, BER is in "
                      "[0, 1], the delay is 0 to 24 h, levels are numbers, the mode is below 256",
                      link.sender(), link.receiver(), link.ber(), link.delay_ns(), link.mode(), robots - 1)};
    }
  }
  return fault;
}

MaybeFault read_verdicts(const wire::native::End& in, std::size_t robots, NetworkEnd& end) {
  MaybeFault fault;
  for (const auto& verdict : in.verdicts()) {
    if (verdict.receiver() >= robots) {
      if (!fault) {
        fault = ProtocolFault{ProtocolError::kBadValue,
                              fmt::format("verdict for robot {}; robots are 0..{}", verdict.receiver(), robots - 1)};
      }
      continue;
    }
    const bool known = verdict.drop() >= 0 && verdict.drop() <= static_cast<int>(AirDrop::kOther);
    end.verdicts.push_back({.packet = verdict.id(),
                            .receiver = RobotIndex{verdict.receiver()},
                            .release_at = nearest_time(verdict.release_ns()),
                            .ber = verdict.ber(),
                            .drop = known ? static_cast<AirDrop>(verdict.drop()) : AirDrop::kOther,
                            .retries = verdict.retries()});
  }
  return fault;
}

}  // namespace

void encode(const NetworkBegin& begin, const Scene* scene, std::span<const CapturedPacket> packets, std::string& body) {
  Message message;
  auto& out = *message.mutable_begin();
  out.set_window(begin.window);
  out.set_start_ns(ns(begin.start));
  out.set_length_ns(begin.length.count());
  if (scene != nullptr) {
    write_scene(*scene, *out.mutable_scene());
  }
  for (const CapturedPacket& packet : packets) {
    write_packet(packet, *out.add_packets());
  }
  message.SerializeToString(&body);
}

MaybeFault decode(std::string_view body, std::size_t robots, NetworkBegin& begin, bool& has_scene, Scene& scene,
                  std::vector<CapturedPacket>& packets) {
  if (MaybeFault fault = check_parts(body, robots)) {
    return fault;
  }
  Message message;
  if (!message.ParseFromArray(body.data(), static_cast<int>(body.size())) || !message.has_begin()) {
    return ProtocolFault{ProtocolError::kBadMessage, fmt::format("invalid BEGIN message of {} bytes", body.size())};
  }
  const auto& in = message.begin();
  begin = {.window = in.window(),
           .start = nearest_time(in.start_ns()),
           .length = bounded_delay(in.length_ns()).value_or(Nanoseconds{0})};
  packets.clear();
  MaybeFault fault = read_packets(in, robots, packets);
  has_scene = in.has_scene();
  if (has_scene) {
    if (MaybeFault wrong = read_scene(in.scene(), robots, scene); wrong && !fault) {
      fault = std::move(wrong);
    }
  }
  return fault;
}

void encode(const NetworkEnd& end, std::string& body) {
  Message message;
  auto& out = *message.mutable_end();
  out.set_window(end.window);
  for (const Verdict& verdict : end.verdicts) {
    auto& to = *out.add_verdicts();
    to.set_id(verdict.packet);
    to.set_receiver(verdict.receiver.value());
    to.set_release_ns(ns(verdict.release_at));
    to.set_ber(verdict.ber);
    to.set_drop(static_cast<wire::native::Verdict::Drop>(verdict.drop));
    to.set_retries(verdict.retries);
  }
  for (const std::uint64_t id : end.forget) {
    out.add_forget(id);
  }
  for (const LinkUpdate& link : end.links) {
    write_link(link, *out.add_links());
  }
  message.SerializeToString(&body);
}

MaybeFault decode(std::string_view body, std::size_t robots, NetworkEnd& end) {
  if (MaybeFault fault = check_parts(body, robots)) {
    return fault;
  }
  Message message;
  if (!message.ParseFromArray(body.data(), static_cast<int>(body.size())) || !message.has_end()) {
    return ProtocolFault{ProtocolError::kBadMessage, fmt::format("invalid END message of {} bytes", body.size())};
  }
  const auto& in = message.end();
  end.window = in.window();
  end.verdicts.clear();
  end.links.clear();
  end.forget.assign(in.forget().begin(), in.forget().end());
  MaybeFault fault = read_verdicts(in, robots, end);
  if (MaybeFault wrong = read_links(in, robots, end); wrong && !fault) {
    fault = std::move(wrong);
  }
  return fault;
}

}  // namespace hilgate::native

namespace hilgate {
namespace {

// What a verdict asks for must be a probability; 1 means that it is lost.
MaybeFault check_rates(std::vector<Verdict>& verdicts) {
  MaybeFault fault;
  for (Verdict& verdict : verdicts) {
    const bool lost = !(verdict.ber >= 0 && verdict.ber < 1);
    if (lost && verdict.ber != 1 && !fault) {
      fault = ProtocolFault{
          ProtocolError::kBadValue,
          fmt::format("bit error rate of {} for packet {}; the packet is dropped", verdict.ber, verdict.packet)};
    }
    if (lost) {
      verdict.ber = 0;
      verdict.drop = AirDrop::kBitErrors;
    }
  }
  return fault;
}

}  // namespace

void NativeNetworkCodec::encode_begin(const NetworkQuestion& question, std::string& body) {
  step_ = question.step;
  native::encode(native::NetworkBegin{.window = step_.number, .start = step_.from, .length = step_.length},
                 question.fresh ? question.scene : nullptr, question.packets, body);
}

MaybeFault NativeNetworkCodec::decode_end(std::string_view body, NetworkAnswer& answer) {
  answer.payload.bytes.clear();
  answer.has_links = false;
  answer.verdicts.clear();
  answer.forget.clear();
  MaybeFault fault = native::decode(body, options_.hello.robots.size(), end_);
  if (fault && !is_soft(fault->error)) {
    return fault;
  }
  if (MaybeFault other = native::check_window(end_.window, step_)) {
    return other;
  }
  std::swap(answer.verdicts, end_.verdicts);
  std::swap(answer.forget, end_.forget);
  apply_links(answer);
  MaybeFault rates = check_rates(answer.verdicts);
  return fault ? fault : rates;
}

void NativeNetworkCodec::apply_links(NetworkAnswer& answer) {
  if (end_.links.empty()) {
    return;
  }
  const std::size_t robots = options_.hello.robots.size();
  links_.resize(robots * robots);
  for (const native::LinkUpdate& link : end_.links) {
    links_[link_of(link.sender, link.receiver, robots).value()] = link.state;
  }
  answer.has_links = true;
  answer.links.window = step_.window;
  answer.links.at = step_.end();
  answer.links.links = links_;
}

MaybeFault NativeNetworkCodec::decode_begin(std::string_view body, ReceivedNetworkQuestion& question) {
  native::NetworkBegin begin;
  bool has_scene = false;
  MaybeFault fault = native::decode(body, theirs_.robots.size(), begin, has_scene, question.scene, question.packets);
  question.step = {.window = begin.window, .number = begin.window, .from = begin.start, .length = begin.length};
  question.has_scene = question.has_scene || has_scene;
  question.fresh = has_scene;
  step_ = question.step;
  return fault;
}

void NativeNetworkCodec::encode_end(const NetworkAnswer& answer, std::string& body) {
  end_.window = step_.number;
  end_.verdicts = answer.verdicts;
  end_.forget = answer.forget;
  end_.links.clear();
  if (answer.has_links) {
    const std::size_t robots = theirs_.robots.size();
    for (std::uint32_t i = 0; i < std::min(answer.links.links.size(), robots * robots); ++i) {
      const auto sender = RobotIndex{static_cast<std::uint32_t>(i / robots)};
      const auto receiver = RobotIndex{static_cast<std::uint32_t>(i % robots)};
      if (sender != receiver) {
        end_.links.push_back({.sender = sender, .receiver = receiver, .state = answer.links.links[i]});
      }
    }
  }
  native::encode(end_, body);
}

}  // namespace hilgate
