// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/telemetry.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "frame/serial_frame.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr auto kWatch = 100ms;  // for vehicles that fell silent
constexpr auto kTick = 1ms;     // shortest interval of a feed; vehicles speak at most every few
// Locally administered, and no robot's: source of the gateway's own frames that do not stand for a robot's.
constexpr MacAddress kOwnMac{0x0268'67FF'FFFE};
constexpr std::size_t kFeedBytes = 1200;  // of a datagram: passes any path that IPv6 passes

std::vector<std::string> names_of(const Configuration& configuration) {
  std::vector<std::string> names;
  for (const RobotConfig& robot : configuration.robots) {
    names.push_back(robot.name);
  }
  return names;
}

// Where simulators set it there is none that a vehicle could keep.
std::optional<double> pace_of(const Configuration& configuration) {
  const bool steady = configuration.pace == Pace::kWall || configuration.pace == Pace::kDilate;
  return steady ? std::optional(configuration.dilation.factor()) : std::nullopt;
}

void warn(const std::string& text) {
  spdlog::warn("{}", text);
}

}  // namespace

Telemetry::Telemetry(asio::io_context& context, const Gateway& gateway)
    : gateway_(gateway),
      timer_(context),
      names_(names_of(gateway.configuration)),
      robots_(gateway.configuration),
      systems_(warn) {
  if (gateway_.simulation.vehicles != nullptr) {
    gateway_.simulation.vehicles->on_event(warn);
  }
}

void Telemetry::changed() {
  auto names = names_of(gateway_.configuration);
  if (names != names_) {
    names_ = std::move(names);
    radios_ = {};
    lines_ = {};
    systems_.forget_robots();
  }
}

void Telemetry::start() {
  if (!tap_of(gateway_.configuration).on) {
    return;
  }
  timer_.expires_after(kTick);
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      tick();
      start();
    }
  });
}

void Telemetry::tick() {
  gateway_.plane.overheard([this](const Overheard& frame) { take(frame); });
  const HostTime now = gateway_.clock.now();
  if (gateway_.simulation.vehicles != nullptr && now - watched_ >= kWatch) {
    gateway_.simulation.vehicles->watch(now, pace_of(gateway_.configuration));
    watched_ = now;
  }
  say_places(now);
  send_radio_statuses(now);
  send_line_statuses();
  send_feeds(now);
}

// ---- telling ----

void Telemetry::send_radio_statuses(HostTime now) {
  const auto& robots = gateway_.configuration.robots;
  radios_.send_due(
      now, [&](RobotIndex robot) { return robots[robot.value()].radio_status; },
      [this](RobotIndex robot, RobotIndex peer) { return pair(robot, peer); },
      [this](RobotIndex robot, std::span<const std::byte> frame) { return send(robot, frame); });
}

void Telemetry::send_line_statuses() {
  lines_.send_due([this](RobotIndex robot, LineStatuses::Host& host) { return read_radio(robot, host); },
                  [this](RobotIndex robot, const std::string& message) {
                    const PortId port =
                        gateway_.slots.ports().slot_of(gateway_.configuration.robots[robot.value()].port);
                    const auto header = serial_header(port, kLineReport);
                    std::vector<std::byte> frame(header.begin(), header.end());
                    const auto bytes = std::as_bytes(std::span(message));
                    frame.insert(frame.end(), bytes.begin(), bytes.end());
                    return send(robot, frame);
                  });
}

// About the other end; where there are several, about the one that is heard best.
bool Telemetry::read_radio(RobotIndex robot, LineStatuses::Host& host) const {
  const Configuration& configuration = gateway_.configuration;
  std::optional<RobotIndex> peer;
  for (std::uint32_t i = 0; i < configuration.robots.size(); ++i) {
    const PortConfig& port = configuration.ports[configuration.robots[i].port.value()];
    if (i != robot.value() && is_line(port.driver) &&
        (!peer || reading(RobotIndex{i}, robot).rssi_dbm > reading(*peer, robot).rssi_dbm)) {
      peer = RobotIndex{i};
    }
  }
  const RobotConfig& self = configuration.robots[robot.value()];
  if (!peer || !self.radio_status) {
    return false;
  }
  host.peer = *peer;
  const RadioPair read = pair(robot, *peer);
  host.note(read, read.heard.reachable, gateway_.clock.now());
  host.status.txbuf =
      gateway_.plane.free_percent(gateway_.slots.ports().slot_of(self.port)).value_or(host.status.txbuf);
  return true;
}

RadioPair Telemetry::pair(RobotIndex robot, RobotIndex peer) const {
  const auto counts = [this](RobotIndex from, RobotIndex to) {
    return gateway_.plane.counts(gateway_.slots.link(from, to));
  };
  const auto& stations = gateway_.simulation.air.stations;
  const bool serial = robot.value() < stations.size() && stations[robot.value()] && stations[robot.value()]->serial;
  return {.heard = reading(peer, robot),
          .heard_there = reading(robot, peer),
          .in = counts(peer, robot),
          .out = counts(robot, peer),
          .queue_frames = queue_frames(robot, peer),
          .queue_bytes = serial ? stations[robot.value()]->queue_bytes : 0,
          .queued_bytes = serial ? gateway_.plane.queued_bytes(gateway_.slots.link(robot, peer)) : 0};
}

LinkReading Telemetry::reading(RobotIndex from, RobotIndex to) const {
  return read_link(gateway_.windows.table(), gateway_.simulation.air, link_ends(gateway_.configuration), from, to);
}

// Of the medium's, or of the link's rate.
std::uint32_t Telemetry::queue_frames(RobotIndex from, RobotIndex to) const {
  const AirPlan& air = gateway_.simulation.air;
  if (from.value() < air.stations.size() && air.stations[from.value()]) {
    return air.stations[from.value()]->queue_frames;
  }
  const LinkIndex link = link_of(from, to, link_ends(gateway_.configuration));
  const auto& impairments = air.rules[link.value()].impairments;
  return impairments && impairments->rate ? impairments->rate->queue_frames : 0;
}

void Telemetry::send_feeds(HostTime now) {
  const auto& robots = gateway_.configuration.robots;
  const LinkTable& table = gateway_.windows.table();
  for (std::uint32_t i = 0; i < robots.size(); ++i) {
    if (!robots[i].rssi_feed) {
      continue;
    }
    Feed& feed = feeds_[robots[i].name];
    const bool first = feed.last_sent == HostTime{};
    if (first || (now - feed.last_sent >= robots[i].rssi_feed->every && table.window != feed.last_window)) {
      feed.last_sent = now;
      feed.last_window = table.window;
      send_feed(RobotIndex{i}, feed);
    }
  }
}

void Telemetry::send_feed(RobotIndex robot, Feed& feed) {
  const auto& robots = gateway_.configuration.robots;
  const RobotConfig& self = robots[robot.value()];
  std::vector<PeerReading> peers;
  for (std::uint32_t other = 0; other < robots.size(); ++other) {
    if (are_linked(gateway_.configuration, RobotIndex{other}, robot)) {
      peers.push_back({robots[other].name, reading(RobotIndex{other}, robot), reading(robot, RobotIndex{other})});
    }
  }
  const UdpEnds ends{.from_mac = kOwnMac,
                     .to_mac = self.macs.front(),
                     .from = self.rssi_feed->from,
                     .to = self.rssi_feed->to,
                     .from_port = self.rssi_feed->port,
                     .to_port = self.rssi_feed->port};
  const LinkTable& table = gateway_.windows.table();
  for (const std::string& datagram : feed_datagrams(self.name, table.at, table.window, peers, kFeedBytes)) {
    send(robot, udp_frame(ends, datagram)) ? ++feed.sent : ++feed.refused;
  }
}

bool Telemetry::send(RobotIndex robot, std::span<const std::byte> frame) {
  const RobotConfig& to = gateway_.configuration.robots[robot.value()];
  return gateway_.plane.inject(gateway_.slots.ports().slot_of(to.port), to.vlan, frame);
}

std::string Telemetry::name_of(RobotIndex robot) const {
  return names_[robot.value()];
}

}  // namespace hilgate
