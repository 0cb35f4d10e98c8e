// SPDX-License-Identifier: Apache-2.0
#include "physics_link/gz/gz_world.h"

#include <ignition/msgs/boolean.pb.h>
#include <ignition/msgs/clock.pb.h>
#include <ignition/msgs/pose_v.pb.h>
#include <ignition/msgs/world_control.pb.h>

#include <algorithm>
#include <asio/post.hpp>
#include <stdexcept>

#include "physics_link/foreign_numbers.h"

namespace hilgate::gz {
namespace {

WorldSeconds time_of(const ignition::msgs::Time& time) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  const std::int64_t seconds = std::clamp<std::int64_t>(time.sec(), 0, kLongestRun.count() / kNanoseconds);
  return std::chrono::seconds(seconds) + Nanoseconds(time.nsec());
}

Poses poses_of(const ignition::msgs::Pose_V& message) {
  Poses poses;
  for (const auto& pose : message.pose()) {
    const auto& at = pose.position();
    const auto& turned = pose.orientation();
    if (const auto bounded = bounded_pose({at.x(), at.y(), at.z()}, {turned.w(), turned.x(), turned.y(), turned.z()})) {
      poses[pose.name()] = *bounded;
    }
  }
  return poses;
}

}  // namespace

bool World::present() const {
  const auto all = worlds();
  return std::find(all.begin(), all.end(), name_) != all.end();
}

std::vector<std::string> World::worlds() const {
  constexpr std::string_view kHead = "/world/";
  constexpr std::string_view kTail = "/control";
  std::vector<std::string> services;
  std::vector<std::string> names;
  node_.ServiceList(services);
  for (const std::string& service : services) {
    if (service.starts_with(kHead) && service.ends_with(kTail) && service.size() > kHead.size() + kTail.size()) {
      names.push_back(service.substr(kHead.size(), service.size() - kHead.size() - kTail.size()));
    }
  }
  return names;
}

void World::subscribe(Listener listener) {
  listener_ = std::move(listener);
  std::function<void(const ignition::msgs::Clock&)> on_clock = [this](const ignition::msgs::Clock& message) {
    asio::post(io_, [this, at = time_of(message.sim())] { listener_.clock(at); });
  };
  std::function<void(const ignition::msgs::Pose_V&)> on_poses = [this](const ignition::msgs::Pose_V& message) {
    asio::post(io_, [this, at = time_of(message.header().stamp()), poses = poses_of(message)]() mutable {
      listener_.poses(at, std::move(poses));
    });
  };
  if (!node_.Subscribe(topic("clock"), on_clock) || !node_.Subscribe(topic("pose/info"), on_poses)) {
    throw std::runtime_error("cannot subscribe to the topics of world '" + name_ + "'");
  }
}

void World::step(std::uint32_t steps) {
  ignition::msgs::WorldControl order;
  order.set_pause(true);
  order.set_multi_step(steps);
  std::function<void(const ignition::msgs::Boolean&, const bool)> on_answer =
      [this](const ignition::msgs::Boolean& answer, bool well) {
        if (!well || !answer.data()) {
          asio::post(io_, [this] { listener_.refused("world '" + name_ + "' rejected a step request"); });
        }
      };
  node_.Request(topic("control"), order, on_answer);
}

}  // namespace hilgate::gz
