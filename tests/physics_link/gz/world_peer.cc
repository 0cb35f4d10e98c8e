// SPDX-License-Identifier: Apache-2.0
// A stand-in for Gazebo's server: a scripted world on Gazebo's real transport, with the topics and services of its
// systems. The first model drives east from (1000, 0, 1) at 10 m/s, model n stands at
// (1001, 10 n, 1).
//
// usage: gz_world_peer WORLD [--model NAME]... [--silent] [--running] [--stuck]
//   --silent   publishes no poses; --stuck  takes orders to step and does not step
//   --running  advances by itself, 1 ms in 1 ms; else it is held until it is told to step
#include <ignition/msgs/boolean.pb.h>
#include <ignition/msgs/clock.pb.h>
#include <ignition/msgs/pose_v.pb.h>
#include <ignition/msgs/world_control.pb.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <ignition/transport/Node.hh>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;

struct Script {
  std::string world;
  std::vector<std::string> models;
  bool silent = false;
  bool running = false;
  bool stuck = false;
};

class World {
 public:
  explicit World(Script script)
      : script_(std::move(script)),
        clock_(node_.Advertise<ignition::msgs::Clock>("/world/" + script_.world + "/clock")),
        poses_(node_.Advertise<ignition::msgs::Pose_V>("/world/" + script_.world + "/pose/info")),
        held_(!script_.running) {
    std::function<bool(const ignition::msgs::WorldControl&, ignition::msgs::Boolean&)> control =
        [this](const ignition::msgs::WorldControl& order, ignition::msgs::Boolean& answer) {
          answer.set_data(true);
          obey(order);
          return true;
        };
    node_.Advertise("/world/" + script_.world + "/control", control);
  }

  void run() {
    for (auto next = std::chrono::steady_clock::now();; next += 1ms) {
      std::this_thread::sleep_until(next);
      const std::lock_guard lock(mutex_);
      const unsigned steps = held_ ? std::exchange(to_step_, 0U) : 1U;
      if (steps > 0) {
        now_ += steps * 1ms;
        tell();
      }
    }
  }

 private:
  void obey(const ignition::msgs::WorldControl& order) {
    const std::lock_guard lock(mutex_);
    held_ = order.pause();
    to_step_ += script_.stuck ? 0 : order.multi_step();
  }

  template <class Time>
  void set(Time* time) const {
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(now_);
    time->set_sec(whole.count());
    time->set_nsec(static_cast<std::int32_t>((now_ - whole).count()));
  }

  void tell() {
    ignition::msgs::Clock clock;
    set(clock.mutable_sim());
    clock_.Publish(clock);
    if (script_.silent) {
      return;
    }
    ignition::msgs::Pose_V poses;
    set(poses.mutable_header()->mutable_stamp());
    for (std::size_t n = 0; n < script_.models.size(); ++n) {
      auto* pose = poses.add_pose();
      pose->set_name(script_.models[n]);
      pose->mutable_position()->set_x(n == 0 ? 10 * std::chrono::duration<double>(now_).count() : 1001);
      pose->mutable_position()->set_y(10.0 * static_cast<double>(n));
      pose->mutable_position()->set_z(1);
      pose->mutable_orientation()->set_w(1);
    }
    poses_.Publish(poses);
  }

  Script script_;
  ignition::transport::Node node_;
  ignition::transport::Node::Publisher clock_;
  ignition::transport::Node::Publisher poses_;
  std::mutex mutex_;
  bool held_;
  unsigned to_step_ = 0;
  std::chrono::nanoseconds now_ = 100s;  // the world is older than the run
};

}  // namespace

int main(int argc, char** argv) {
  Script script{.world = argc > 1 ? argv[1] : "default", .models = {}};
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--model" && i + 1 < argc) {
      script.models.emplace_back(argv[++i]);
    }
    script.silent = script.silent || word == "--silent";
    script.running = script.running || word == "--running";
    script.stuck = script.stuck || word == "--stuck";
  }
  World world(script);
  std::puts("the world is there");
  std::fflush(stdout);
  world.run();
}
