// SPDX-License-Identifier: Apache-2.0
// A stand-in for Gazebo's server: a scripted world on Gazebo's real transport, with the topics and services of its
// systems. The first model drives east from (1000, 0, 1) at 10 m/s, model n stands at
// (1001, 10 n, 1). Or models fly along tracks, since the world was made.
//
// usage: gz_world_peer WORLD [--model NAME]... [--tracks FILE.csv] [--silent] [--running] [--slow N] [--stuck]
//   --tracks   t_s,robot,x_m,y_m,z_m by line, behind a head line: straight lines between a robot's points
//   --silent   publishes no poses; --stuck  takes orders to step and does not step
//   --running  advances by itself, 1 ms in 1 ms; else it is held until it is told to step
//   --slow N   1 ms takes N ms
#include <ignition/msgs/boolean.pb.h>
#include <ignition/msgs/clock.pb.h>
#include <ignition/msgs/pose_v.pb.h>
#include <ignition/msgs/world_control.pb.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <ignition/transport/Node.hh>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;

using Point = std::array<double, 3>;

struct Script {
  std::string world;
  std::vector<std::string> models;
  std::map<std::string, std::map<double, Point>> tracks;  // by model: points by second
  bool silent = false;
  bool running = false;
  bool stuck = false;
  std::chrono::milliseconds step = 1ms;  // what 1 ms of the world takes
};

std::map<std::string, std::map<double, Point>> read_tracks(const std::string& path) {
  std::map<std::string, std::map<double, Point>> tracks;
  std::ifstream file(path);
  std::string line;
  for (std::getline(file, line); std::getline(file, line);) {
    std::array<std::string, 5> words;
    std::istringstream text(line);
    for (std::string& word : words) {
      std::getline(text, word, ',');
    }
    tracks[words[1]][std::stod(words[0])] = {std::stod(words[2]), std::stod(words[3]), std::stod(words[4])};
  }
  return tracks;
}

Point place_at(const std::map<double, Point>& track, double second) {
  const auto next = track.upper_bound(second);
  if (next == track.begin()) {
    return next->second;
  }
  const auto last = std::prev(next);
  if (next == track.end()) {
    return last->second;
  }
  const double part = (second - last->first) / (next->first - last->first);
  Point place{};
  for (std::size_t axis = 0; axis < place.size(); ++axis) {
    place[axis] = std::lerp(last->second[axis], next->second[axis], part);
  }
  return place;
}

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
    for (auto next = std::chrono::steady_clock::now();; next += script_.step) {
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
      const Point place = place_of(n);
      pose->mutable_position()->set_x(place[0]);
      pose->mutable_position()->set_y(place[1]);
      pose->mutable_position()->set_z(place[2]);
      pose->mutable_orientation()->set_w(1);
    }
    poses_.Publish(poses);
  }

  [[nodiscard]] Point place_of(std::size_t n) const {
    const auto track = script_.tracks.find(script_.models[n]);
    if (track != script_.tracks.end()) {
      return place_at(track->second, std::chrono::duration<double>(now_ - kMade).count());
    }
    return {n == 0 ? 10 * std::chrono::duration<double>(now_).count() : 1001, 10.0 * static_cast<double>(n), 1};
  }

  static constexpr std::chrono::nanoseconds kMade = 100s;  // the world is older than the run

  Script script_;
  ignition::transport::Node node_;
  ignition::transport::Node::Publisher clock_;
  ignition::transport::Node::Publisher poses_;
  std::mutex mutex_;
  bool held_;
  unsigned to_step_ = 0;
  std::chrono::nanoseconds now_ = kMade;
};

}  // namespace

int main(int argc, char** argv) {
  Script script{.world = argc > 1 ? argv[1] : "default", .models = {}, .tracks = {}};
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--model" && i + 1 < argc) {
      script.models.emplace_back(argv[++i]);
    }
    if (word == "--tracks" && i + 1 < argc) {
      script.tracks = read_tracks(argv[++i]);
      for (const auto& [model, track] : script.tracks) {
        script.models.push_back(model);
      }
    }
    if (word == "--slow" && i + 1 < argc) {
      script.step = std::chrono::milliseconds(std::stoi(argv[++i]));
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
