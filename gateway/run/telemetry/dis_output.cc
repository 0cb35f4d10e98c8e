// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/dis_output.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "clock/host_now.h"
#include "netsim_link/link_reading.h"
#include "physics_link/mavlink/geodetic.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kShortestPause = 20ms;  // between two looks

bool differs(const dis::Transmitter& one, const dis::Transmitter& other) {
  return one.state != other.state || one.emission != other.emission ||
         distance_m(one.antenna, other.antenna) > DisOutput::kMovedFar;
}

bool differs(const dis::Receiver& one, const dis::Receiver& other) {
  return one.state != other.state || one.transmitter != other.transmitter ||
         std::abs(one.power_dbm - other.power_dbm) >= DisOutput::kPowerChange;
}

}  // namespace

DisOutput::DisOutput(asio::io_context& context, const Gateway& gateway)
    : gateway_(gateway), timer_(context), sender_(context, "DIS", "dis.to") {}

void DisOutput::start() {
  sender_.open(gateway_.configuration.dis->to, gateway_.configuration.dis->port);
  look_after(Nanoseconds{0});
}

// As many looks in `every` as pauses of 20 ms fit into it, and no more than there are radios.
void DisOutput::look_after(Nanoseconds pause) {
  timer_.expires_after(pause);
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      look();
      const auto radios = static_cast<std::int64_t>(std::max<std::size_t>(gateway_.configuration.robots.size(), 1));
      const Nanoseconds every = gateway_.configuration.dis->every;
      look_after(every / std::min<std::int64_t>(radios, every / kShortestPause));
    }
  });
}

void DisOutput::look() {
  const std::size_t count = gateway_.configuration.robots.size();
  radios_.resize(count);
  const auto looks = static_cast<std::size_t>(gateway_.configuration.dis->every / kShortestPause);
  const Nanoseconds now = host_now().time_since_epoch();
  const Scene* const scene = gateway_.windows.scene();
  const std::size_t radios = (count + looks - 1) / looks;
  for (std::size_t i = 0; i < radios; ++i) {
    next_ = next_ < count ? next_ : 0;
    const RobotIndex robot{static_cast<std::uint32_t>(next_++)};
    if (!has_radio_here(robot)) {
      continue;
    }
    if (scene == nullptr || robot.value() >= scene->robots.size() || !scene->robots[robot.value()].placed) {
      ++unplaced_;
      continue;
    }
    look_at(robot, *scene, now);
  }
}

bool DisOutput::has_radio_here(RobotIndex robot) const {
  const Configuration& configuration = gateway_.configuration;
  return configuration.dis->radios[robot.value()].emission &&
         configuration.ports[configuration.robots[robot.value()].port.value()].driver != PortDriver::kElsewhere;
}

bool DisOutput::is_recent(const std::optional<Nanoseconds>& at, Nanoseconds now) const {
  return at && now - *at <= gateway_.configuration.dis->every;
}

// A look late or early is well within the tolerance of 10 %; a heartbeat is sent by the look that is nearest to it.
bool DisOutput::is_due(const std::optional<Nanoseconds>& sent, Nanoseconds heartbeat, Nanoseconds now) const {
  return !sent || now - *sent + gateway_.configuration.dis->every / 2 >= heartbeat;
}

void DisOutput::look_at(RobotIndex robot, const Scene& scene, Nanoseconds now) {
  const dis::Receiver receiver = hear(robot, now);
  Radio& radio = radios_[robot.value()];
  const dis::Transmitter transmitter = transmitter_of(robot, scene.robots[robot.value()], now);
  if (is_due(radio.sent_transmitter, kTransmitterHeartbeat, now) || differs(transmitter, radio.transmitter)) {
    send(robot, transmitter, now);
  }
  if (is_due(radio.sent_receiver, kReceiverHeartbeat, now) || differs(receiver, radio.receiver)) {
    send(robot, receiver, now);
  }
}

dis::Receiver DisOutput::hear(RobotIndex robot, Nanoseconds now) {
  const Configuration& configuration = gateway_.configuration;
  const std::size_t ends = link_ends(configuration);
  const LinkTable& table = gateway_.windows.table();
  Radio& self = radios_[robot.value()];
  dis::Receiver receiver;
  if (table.links.size() != ends * ends) {
    return receiver;
  }
  std::optional<RobotIndex> strongest;
  for (std::uint32_t i = 0; i < configuration.robots.size(); ++i) {
    const RobotIndex from{i};
    if (!are_linked(configuration, from, robot)) {
      continue;
    }
    const LinkReading link = read_link(table, gateway_.simulation.air, ends, from, robot);
    if (!link.reachable || !link.has_radio) {
      self.by_sender.erase(i);
      continue;
    }
    const LinkCounts counts = gateway_.plane.counts(gateway_.slots.link(from, robot));
    const std::pair seen{counts.deliveries, counts.released};
    const auto [last, is_new] = self.by_sender.try_emplace(i, seen);
    if (last->second.first != seen.first) {
      radios_[i].transmitted = now;
    }
    if (last->second.second != seen.second) {
      self.received = now;
    }
    last->second = seen;
    const auto power = static_cast<float>(link.rssi_dbm);
    if (configuration.dis->radios[i].emission && (!strongest || power > receiver.power_dbm)) {
      strongest = from;
      receiver.power_dbm = power;
    }
  }
  if (strongest) {
    receiver.transmitter = configuration.dis->radios[strongest->value()].id;
    receiver.state = is_recent(self.received, now) ? dis::ReceiveState::kReceiving : dis::ReceiveState::kSilent;
  }
  return receiver;
}

dis::Transmitter DisOutput::transmitter_of(RobotIndex robot, const Pose& pose, Nanoseconds now) const {
  const Vec3& offset = gateway_.configuration.robots[robot.value()].antenna.offset;
  const Vec3 from_body = pose.oriented ? rotate(pose.orientation, offset) : offset;
  const Vec3 at{pose.position.x + from_body.x, pose.position.y + from_body.y, pose.position.z + from_body.z};
  return {.state = is_recent(radios_[robot.value()].transmitted, now) ? dis::TransmitState::kTransmitting
                                                                      : dis::TransmitState::kSilent,
          .antenna = earth_centred(mavlink::geodetic_of(at, *gateway_.configuration.world.scene.origin)),
          .antenna_on_body = {offset.x, -offset.y, -offset.z},
          .emission = *gateway_.configuration.dis->radios[robot.value()].emission};
}

dis::RadioHeader DisOutput::header_of(RobotIndex robot, Nanoseconds now) const {
  const DisConfig& config = *gateway_.configuration.dis;
  return {.exercise = config.exercise, .utc = now + utc_ahead_of_host(), .radio = config.radios[robot.value()].id};
}

void DisOutput::send(RobotIndex robot, const dis::Transmitter& transmitter, Nanoseconds now) {
  Radio& radio = radios_[robot.value()];
  radio.sent_transmitter = now;
  radio.transmitter = transmitter;
  transmitters_ += sender_.send(dis::transmitter_pdu(header_of(robot, now), transmitter)) ? 1 : 0;
}

void DisOutput::send(RobotIndex robot, const dis::Receiver& receiver, Nanoseconds now) {
  Radio& radio = radios_[robot.value()];
  radio.sent_receiver = now;
  radio.receiver = receiver;
  receivers_ += sender_.send(dis::receiver_pdu(header_of(robot, now), receiver)) ? 1 : 0;
}

DisOutputStatus DisOutput::status() const {
  return {.to = sender_.to(),
          .transmitters = transmitters_,
          .receivers = receivers_,
          .refused = sender_.refused(),
          .unplaced = unplaced_,
          .fault = sender_.fault()};
}

}  // namespace hilgate
