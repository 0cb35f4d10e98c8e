// SPDX-License-Identifier: Apache-2.0
// What telemetry makes of frames that it overhears.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <variant>

#include "gateway/run/telemetry/telemetry.h"

namespace hilgate {
namespace {

constexpr Nanoseconds kBetweenPlaces{20'000'000};  // texts to the other gateways; vehicles speak less often
constexpr Nanoseconds kOnItsWay{5'000'000'000};    // texts are no older (SiteSeal)

std::uint64_t channel_of(const UdpEnds& ends) {
  const std::uint64_t ports = (std::uint64_t{ends.from_port} << 16) | ends.to_port;
  return std::hash<std::uint64_t>{}(ends.to.high()) ^ (ends.to.low() * 0x9E37'79B9'7F4A'7C15ULL) ^ (ports << 7);
}

}  // namespace

void Telemetry::take(const Overheard& overheard) {
  const auto packet = read_overheard(overheard.head());
  const auto port = gateway_.slots.ports().index_of(overheard.port);
  if (!packet || !port || packet->on_line != is_line(gateway_.configuration.ports[port.value().value()].driver)) {
    return;  // somebody's own protocol
  }
  const auto from = robots_.sender(port.value(), packet->ends.from_mac);
  if (!from) {
    return;
  }
  if (!packet->in_stream && is_rtps(packet->data)) {
    take_dds(*packet, *from, overheard.arrived);
  } else {
    take_mavlink(*packet, *from, overheard.arrived);
  }
}

void Telemetry::take_dds(const HeardPacket& packet, RobotIndex from, HostTime at) {
  if (!gateway_.configuration.dds) {
    return;
  }
  for (const std::uint16_t domain : gateway_.configuration.dds->domains) {
    if (packet.ends.to_port == dds_announcement_port(domain)) {
      if (const auto announcement = read_dds_announcement(packet.data)) {
        participants_.take(name_of(from), domain, *announcement, at);
      } else {
        participants_.take_unread();
      }
    }
  }
}

void Telemetry::take_mavlink(const HeardPacket& packet, RobotIndex from, HostTime at) {
  const auto to = robots_.owner(packet.ends.to_mac);
  const mavlink::Heard heard{.from = from, .channel = channel_of(packet.ends), .in_stream = packet.in_stream, .at = at};
  mavlink::each_frame(packet.data, [&](const mavlink::Frame& frame) {
    if (mavlink::check(frame) == mavlink::Checksum::kWrong) {
      return systems_.take_wrong(frame);
    }
    take_frame(frame, heard);
    if (packet.on_line && std::holds_alternative<mavlink::Heartbeat>(mavlink::read_message(frame))) {
      lines_.heartbeat(from, frame.version);
    }
    if (to && *to != from && !packet.on_line) {
      note_flow(packet, from, *to, frame.version, at);
    }
  });
}

void Telemetry::note_flow(const HeardPacket& packet, RobotIndex from, RobotIndex to, mavlink::Version version,
                          HostTime at) {
  if (packet.in_stream) {
    const auto& robots = gateway_.configuration.robots;
    if (radios_.note_stream(from, to) && (robots[from.value()].radio_status || robots[to.value()].radio_status)) {
      spdlog::warn(
          "MAVLink: robots {} and {} speak over TCP, and get no RADIO_STATUS: nothing can be put into a stream whose "
          "sequence numbers its ends count; have them use UDP",
          name_of(from), name_of(to));
    }
  } else if (!packet.tagged) {
    radios_.note(from, to, packet.ends, version, at);
  }
}

void Telemetry::take_frame(const mavlink::Frame& frame, const mavlink::Heard& heard) {
  const mavlink::Message message = mavlink::read_message(frame);
  systems_.take(heard, frame, message, [this](RobotIndex robot) { return name_of(robot); });
  if (gateway_.simulation.vehicles != nullptr) {
    gateway_.simulation.vehicles->take(heard.from, mavlink::author_of(frame), message, heard.at);
    if (say_ && gateway_.windows.engine().running() && mavlink::Vehicles::hears(message)) {
      to_others_.note(heard.from, gateway_.windows.engine().sim_at(heard.at), frame);
    }
  }
  if (gateway_.configuration.pace == Pace::kFollow && gateway_.configuration.follow.source == FollowSource::kMavlink) {
    take_time(heard.from, frame.system, message);
  }
}

void Telemetry::say_places(HostTime now) {
  if (!say_ || now - said_ < kBetweenPlaces) {
    return;
  }
  said_ = now;
  for (const std::string& text : to_others_.take()) {
    static_cast<void>(say_(text));  // robots say it again
  }
}

// As if it had been heard here, at its instant.
void Telemetry::hear(std::uint32_t gateway, std::string_view text) {
  const Configuration& configuration = gateway_.configuration;
  const auto all = SiteTelemetry::read(text);
  if (!all || gateway_.simulation.vehicles == nullptr || !gateway_.windows.engine().running()) {
    return;
  }
  const HostTime now = gateway_.clock.now();
  for (const SiteTelemetry::Heard& heard : *all) {
    const bool is_there = heard.from.value() < configuration.robots.size() &&
                          configuration.ports[configuration.robots[heard.from.value()].port.value()].gateway == gateway;
    const auto frame = mavlink::first_frame(heard.frame);
    const SimTime here = gateway_.windows.engine().sim_at(now);
    if (is_there && frame && mavlink::check(*frame) == mavlink::Checksum::kRight && heard.at <= here + kOnItsWay &&
        heard.at >= here - kOnItsWay) {
      gateway_.simulation.vehicles->take(heard.from, mavlink::author_of(*frame), mavlink::read_message(*frame),
                                         std::min(now, gateway_.windows.engine().host_at(heard.at)));
    }
  }
}

void Telemetry::take_time(RobotIndex from, std::uint8_t system, const mavlink::Message& message) {
  const auto time = mavlink::vehicle_time(message);
  if (!time) {
    return;
  }
  if (!timekeeper_) {
    timekeeper_ = {from, system};
    spdlog::info("follow: the time of MAVLink system {} at robot {} is followed", system, name_of(from));
  }
  if (timekeeper_ == std::pair{from, system}) {
    gateway_.windows.note_physics_clock(*time);
  }
}

}  // namespace hilgate
