// SPDX-License-Identifier: Apache-2.0
#include "tests/world/daemon_simulator.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "netsim_link/native/native_network_codec.h"
#include "tests/world/world_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kRead = 65536;      // bytes at a time
constexpr std::uint64_t kFlooding = 200;  // answers at once
constexpr Nanoseconds kTryAgain{2'000'000};

std::string framed(std::string_view body) {
  std::string bytes;
  append_frame(body, bytes);
  return bytes;
}

}  // namespace

void DaemonSimulator::behave(SimulatorManner manner, HostTime now) {
  const bool is_spoilt = manner_ != SimulatorManner::kPunctual && manner_ != SimulatorManner::kLate;
  manner_ = manner;
  since_ = now;
  if (is_spoilt || manner == SimulatorManner::kGone || manner == SimulatorManner::kStorm) {
    leave();
  }
}

bool DaemonSimulator::act(HostTime now) {
  if (manner_ == SimulatorManner::kGone) {
    return false;
  }
  if (!socket_.valid() && !connect(now)) {
    return false;
  }
  if (manner_ == SimulatorManner::kStorm) {
    leave();
    return false;
  }
  bool is_busy = read(now);
  while (socket_.valid() && !due_.empty() && due_.begin()->first <= now) {
    send(due_.begin()->second);
    due_.erase(due_.begin());
    is_busy = true;
  }
  return is_busy;
}

bool DaemonSimulator::connect(HostTime now) {
  if (now < next_try_) {
    return false;
  }
  next_try_ = now + kTryAgain;
  socket_ = connect_socket(terms_.socket);
  if (!socket_.valid()) {
    return false;
  }
  ++connections_;
  std::string hello;
  native::encode(native::Hello{.role = terms_.role, .name = "world"}, hello);
  send(framed(hello));
  return true;
}

bool DaemonSimulator::read(HostTime now) {
  const ssize_t count = ::recv(socket_.get(), reader_.space(kRead), kRead, 0);
  if (count == 0 || (count < 0 && errno != EAGAIN)) {
    leave();
    return false;
  }
  if (count < 0) {
    return false;
  }
  reader_.received(static_cast<std::size_t>(count));
  for (std::string_view body; socket_.valid() && reader_.next(body) == FrameReader::Status::kFrame;) {
    if (native::kind_of(body) == native::Kind::kBegin) {
      take(std::string(body), now);
    }
  }
  return true;
}

void DaemonSimulator::take(std::string_view body, HostTime now) {
  ++questions_;
  std::uint64_t window = 0;
  std::string end;
  if (terms_.role == native::Role::kPhysics) {
    native::PhysicsBegin begin;
    static_cast<void>(native::decode(body, begin));
    window = begin.window;
    end = scene_of(window, begin.start);
  } else {
    native::NetworkBegin begin;
    bool has_scene = false;
    Scene scene;
    packets_.clear();
    static_cast<void>(native::decode(body, terms_.robots, begin, has_scene, scene, packets_));
    window = begin.window;
    end = terms_.judges_packets ? judgement(window) : links_of(window);
  }
  answer(window, framed(end), now);
}

void DaemonSimulator::answer(std::uint64_t window, const std::string& end, HostTime now) {
  switch (manner_) {
    case SimulatorManner::kPunctual:
      return send(end);
    case SimulatorManner::kLate:
      due_.emplace(
          now + terms_.window + Nanoseconds{random_.below(static_cast<std::uint32_t>(3 * terms_.window.count()))}, end);
      return;
    case SimulatorManner::kTwice:
      return send(end + end);
    case SimulatorManner::kUnasked:
      return send(end_of(window + 1'000'000) + end_of(~std::uint64_t{0}) + end_of(window - 1) + end);
    case SimulatorManner::kOutOfOrder: {
      std::string hello;
      native::encode(native::Hello{.role = terms_.role, .name = "world"}, hello);
      std::string question;
      native::encode(native::PhysicsBegin{.window = 7}, question);
      return send(framed(hello) + framed(question) + end);
    }
    case SimulatorManner::kNoise: {
      std::string noise(1 + random_.below(300), ' ');
      std::ranges::generate(noise, [this] { return static_cast<char>(random_.below(256)); });
      return send(framed(noise));
    }
    case SimulatorManner::kTooLong:
      return send("\xff\xff\xff\xff much");
    case SimulatorManner::kHalf:
      if (!random_.chance(0.25)) {
        return send(end);
      }
      send(std::string_view(end).substr(0, end.size() / 2));
      return leave();
    case SimulatorManner::kFlood: {
      std::string many;
      for (std::uint64_t other = 0; other < kFlooding; ++other) {
        many += end_of(window + other - kFlooding / 2);
      }
      return send(many);
    }
    case SimulatorManner::kTrickle:
      for (std::size_t i = 0; i < end.size(); ++i) {
        due_.emplace(now + i * (terms_.window / static_cast<std::int64_t>(2 * end.size())), end.substr(i, 1));
      }
      return;
    default:
      return;
  }
}

std::string DaemonSimulator::end_of(std::uint64_t window) const {
  std::string body;
  if (terms_.role == native::Role::kPhysics) {
    native::encode_physics_end(window, nullptr, body);
  } else {
    native::encode(native::NetworkEnd{.window = window}, body);
  }
  return framed(body);
}

// A row of robots that drive together.
std::string DaemonSimulator::scene_of(std::uint64_t window, SimTime at) const {
  Scene scene;
  scene.at = at;
  for (std::uint32_t robot = 0; robot < terms_.robots; ++robot) {
    scene.robots.push_back({.position = {7.0 * robot, 0.01 * static_cast<double>(window % 1000), 2}});
  }
  scene.sights.resize(pair_count(terms_.robots));
  std::string body;
  native::encode_physics_end(window, &scene, body);
  return body;
}

// Most packets are delivered, some after their time, some are lost, and of some it says nothing.
std::string DaemonSimulator::judgement(std::uint64_t window) {
  native::NetworkEnd end{.window = window};
  for (const CapturedPacket& packet : packets_) {
    if (random_.chance(0.05)) {
      continue;
    }
    for (std::uint32_t robot = 0; robot < terms_.robots; ++robot) {
      const RobotIndex receiver{robot};
      if (receiver != packet.receiver.value_or(receiver) || receiver == packet.sender) {
        continue;
      }
      end.verdicts.push_back({.packet = packet.id,
                              .receiver = receiver,
                              .release_at = packet.captured + (random_.chance(0.1) ? 0 : 4) * terms_.window,
                              .drop = random_.chance(0.1) ? AirDrop::kCollision : AirDrop::kNone});
    }
    end.forget.push_back(packet.id);
  }
  std::string body;
  native::encode(end, body);
  return body;
}

std::string DaemonSimulator::links_of(std::uint64_t window) {
  native::NetworkEnd end{.window = window};
  if (random_.chance(0.2)) {
    end.links.push_back({.sender = RobotIndex{0},
                         .receiver = RobotIndex{1},
                         .state = {.delay = Nanoseconds{random_.below(1'000'000)}, .reachable = random_.chance(0.9)}});
  }
  std::string body;
  native::encode(end, body);
  return body;
}

void DaemonSimulator::send(std::string_view bytes) {
  send_some(socket_, bytes);
}

void DaemonSimulator::leave() {
  socket_.close();
  reader_.reset();
  due_.clear();
}

}  // namespace hilgate::test
