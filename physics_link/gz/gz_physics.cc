// SPDX-License-Identifier: Apache-2.0
#include "physics_link/gz/gz_physics.h"

#include <fmt/format.h>
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

constexpr std::size_t kNamesShown = 20;

std::string names_text(const Poses& poses) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [name, pose] : poses) {
    if (++shown > kNamesShown) {
      return text + ", ...";
    }
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

GzPhysics::GzPhysics(asio::io_context& io, World& world, const GzOptions& options, std::vector<Obstacle> obstacles,
                     std::function<std::vector<std::string>()> robots)
    : world_(world),
      options_(options),
      obstacles_(std::move(obstacles)),
      robots_(std::move(robots)),
      pose_timer_(io),
      silence_timer_(io) {}

void GzPhysics::open(Listener listener) {
  listener_ = std::move(listener);
  world_.subscribe({.clock = [this](WorldSeconds at) { hear_clock(at); },
                    .poses = [this](WorldSeconds at, Poses poses) { hear_poses(at, std::move(poses)); },
                    .refused = [this](const std::string& why) { fail(why); }});
  if (options_.steps) {
    world_.step(0);
  }
  listener_.ready();
}

void GzPhysics::close() {
  step_.reset();
  pose_timer_.cancel();
  silence_timer_.cancel();
}

void GzPhysics::begin(const PhysicsQuestion& question) {
  begun_ = true;
  step_ = question.step;
  asked_ = false;
  watch();
  go_on();
}

void GzPhysics::hear_clock(WorldSeconds at) {
  ++news_;
  clock_ = at;
  go_on();
}

void GzPhysics::hear_poses(WorldSeconds at, Poses poses) {
  ++news_;
  poses_at_ = at;
  poses_ = std::move(poses);
  if (!clock_ || *clock_ < at) {
    clock_ = at;
  }
  go_on();
}

// A paused world sends nothing by itself: it is asked for a first step before its time is known.
void GzPhysics::go_on() {
  if (!step_) {
    return;
  }
  if (!options_.steps && !options_.paces) {
    return poses_.empty() ? void() : answer();
  }
  if (!clock_ || poses_.empty()) {
    if (!asked_ && options_.steps) {
      asked_ = true;
      world_.step(1);
    }
    return;
  }
  if (!run_begins_) {
    run_begins_ = *clock_ - step_->from.time_since_epoch();
    asked_ = false;
  }
  const WorldSeconds target = *run_begins_ + step_->end().time_since_epoch();
  if (*clock_ < target) {
    if (!asked_ && options_.steps) {
      asked_ = true;
      const auto left = (target - *clock_).count();
      world_.step(static_cast<std::uint32_t>((left + options_.step_size.count() - 1) / options_.step_size.count()));
    }
    return;
  }
  poses_at_ >= target || options_.paces ? answer() : wait_for_poses();
}

void GzPhysics::wait_for_poses() {
  if (pose_timer_.expiry() > asio::steady_timer::clock_type::now()) {
    return;  // under way
  }
  pose_timer_.expires_after(options_.pose_wait);
  pose_timer_.async_wait([this, number = step_->number](const asio::error_code& error) {
    if (!error && step_ && step_->number == number) {
      ++old_poses_;
      answer();
    }
  });
}

// The run is over when nothing comes for too long while an answer is owed.
void GzPhysics::watch() {
  silence_timer_.expires_after(options_.silence);
  silence_timer_.async_wait([this, news = news_, number = step_->number](const asio::error_code& error) {
    if (error || !step_ || step_->number != number) {
      return;
    }
    if (news_ != news) {
      return watch();
    }
    const double silent = seconds_of(options_.silence);
    if (poses_.empty()) {
      return fail(fmt::format(
          "world '{}' exists, but {} published nothing for {:g} s: does the world have the SceneBroadcaster system, "
          "and is it running (or --steps given)?",
          world_.name(), world_.topic("pose/info"), silent));
    }
    fail(
        fmt::format("world '{}' has been at {:g} s for {:g} s although {:g} s more were requested: does another "
                    "program control it?",
                    world_.name(), clock_ ? seconds_of(*clock_) : 0.0, silent, seconds_of(step_->length)));
  });
}

bool GzPhysics::find_robots() {
  answer_.scene.robots.clear();
  for (const std::string& robot : robots_()) {
    const auto found = poses_.find(robot);
    if (found == poses_.end()) {
      fail(fmt::format("model '{}' does not exist in world '{}'; it has: {}. Set the robot's `id:` to its model's name",
                       robot, world_.name(), names_text(poses_)));
      return false;
    }
    answer_.scene.robots.push_back(found->second);
  }
  return true;
}

void GzPhysics::answer() {
  pose_timer_.expires_at(asio::steady_timer::time_point::min());
  if (!find_robots()) {
    return;
  }
  Scene& scene = answer_.scene;
  scene.at = step_->end();
  scene.sights.open_all(pair_count(scene.robots.size()));
  std::size_t pair = 0;  // by their higher end first, then by the lower
  for (std::size_t high = 1; high < scene.robots.size(); ++high) {
    for (std::size_t low = 0; low < high; ++low, ++pair) {
      const bool blocked = std::any_of(obstacles_.begin(), obstacles_.end(), [&](const Obstacle& obstacle) {
        return blocks(obstacle, scene.robots[low].position, scene.robots[high].position);
      });
      if (blocked) {
        scene.sights[pair].line_of_sight = false;
      }
    }
  }
  answer_.has_scene = true;
  step_.reset();
  listener_.ended(answer_);
}

void GzPhysics::fail(const std::string& why) {
  close();
  failed_ = true;
  listener_.failed(why);
}

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
