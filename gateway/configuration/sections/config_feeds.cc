// SPDX-License-Identifier: Apache-2.0
// Positions that other programs push, one reader for each type of physics.
#include <algorithm>
#include <cctype>

#include "config/plain_text.h"
#include "gateway/configuration/bodies.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/simulator_config.h"
#include "physics_link/cot/cot_feed.h"
#include "physics_link/feeds/avens_physics.h"
#include "physics_link/feeds/feed_physics.h"
#include "physics_link/feeds/feed_sockets.h"
#include "physics_link/ros2/ros2_poses.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

bool is_word_of_topic(std::string_view word) {
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) == 0 &&
         std::ranges::all_of(word, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// A full name as ROS 2 has them: words behind slashes.
bool is_topic(std::string_view text) {
  if (!text.starts_with('/')) {
    return false;
  }
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::string_view word = text.substr(0, text.find('/'));
    if (!is_word_of_topic(word)) {
      return false;
    }
    text.remove_prefix(word.size());
  }
  return true;
}

Ros2Source read_source(YamlReader& item, const std::string& name) {
  Ros2Source source;
  if (item.has("frame")) {
    for (const char* const key : {"topic", "message"}) {
      if (item.has(key)) {
        item.fault(key, "does not go with `frame`, which is of /tf; remove one of them");
      }
    }
    return {Ros2Message::kTransform, item.required<std::string>("frame")};
  }
  source.message = item.choice<Ros2Message>("message",
                                            {{"PoseStamped", Ros2Message::kPoseStamped},
                                             {"Odometry", Ros2Message::kOdometry},
                                             {"PoseWithCovarianceStamped", Ros2Message::kPoseWithCovarianceStamped},
                                             {"NavSatFix", Ros2Message::kNavSatFix},
                                             {"NamedPoseArray", Ros2Message::kNamedPoseArray},
                                             {"VehicleOdometry", Ros2Message::kVehicleOdometry},
                                             {"VehicleGlobalPosition", Ros2Message::kVehicleGlobalPosition}},
                                            Ros2Message::kPoseStamped);
  if (source.message == Ros2Message::kNamedPoseArray) {
    source.element = item.optional<std::string>("name", name);
  }
  source.name = item.required<std::string>("topic");
  if (!source.name.empty() && !is_topic(source.name)) {
    item.fault("topic", fmt::format("'{}' is no topic; example: /vrpn_mocap/red/pose", shown(source.name)));
  }
  return source;
}

}  // namespace

FeedConfig read_cornet(YamlReader& physics, const Configuration& configuration) {
  const std::string& run = configuration.name;
  const auto clock = physics.optional<std::string>("clock", run_socket(run, kCornetClockSocket, RunSide::kGateway));
  const auto positions =
      physics.optional<std::string>("positions", run_socket(run, kCornetPositionsSocket, RunSide::kGateway));
  return {.sockets = {"unix:" + clock, "unix:" + positions},
          .has_clock = true,
          .make = feed_maker<CornetSockets>(clock, positions)};
}

FeedConfig read_cornet2(YamlReader& physics, const Configuration&) {
  const Endpoint address = read_host_and_port(physics, "127.0.0.1:12345");
  return {.sockets = {address.text()}, .make = feed_maker<Cornet2Server>(address)};
}

FeedConfig read_flynetsim(YamlReader& physics, const Configuration&) {
  const auto publisher = physics.optional<std::string>("address", "tcp://127.0.0.1:5600");
  return {.sockets = {publisher}, .make = feed_maker<FlyNetSimFeed>(publisher)};
}

FeedConfig read_robonetsim(YamlReader& physics, const Configuration&) {
  const Endpoint address = read_host_and_port(physics, "127.0.0.1:9999");
  return {.sockets = {address.text()}, .has_clock = true, .make = feed_maker<RoboNetSimServer>(address)};
}

FeedConfig read_avens(YamlReader& physics, const Configuration&) {
  const auto file = physics.file_of("file");
  return {.make = [file](asio::io_context&, const std::vector<std::string>& robots) {
    return std::make_unique<OwnedPhysics<AvensPhysics>>(file, robots.size());
  }};
}

FeedConfig read_cot_physics(YamlReader& physics, const Configuration&) {
  constexpr Range<Nanoseconds> kStale{1s, 24h, "1s to 24h"};
  const Endpoint address = read_host_and_port(physics, "127.0.0.1:6969");
  const auto group = physics.optional<std::string>("group", "");
  if (const auto parsed = IpAddress::parse(group); !group.empty() && (!parsed || !parsed->is_multicast())) {
    physics.fault("group", fmt::format("'{}' is no multicast address; example: 239.2.3.1", shown(group)));
  }
  CotFeedOptions options;
  options.stale = read_within(physics, "stale", kStale).value_or(options.stale);
  options.stamps = physics.choice<bool>("stamps", {{"check", true}, {"ignore", false}}, true);
  if (const auto origin = read_origin(physics)) {
    options.origin = origin->place;
  } else {
    physics.fault("misses the key 'origin', where x, y and z are 0: events have positions on the earth");
  }
  return {.sockets = {fmt::format("udp:{}:{}", address.host, address.port), address.text()},
          .make = [address, group, options](asio::io_context& context, const std::vector<std::string>& names) {
            return std::make_unique<CotPhysics>(context, names, address, group, options);
          }};
}

Ros2Place read_ros2_place(YamlReader& map) {
  constexpr Range<std::uint32_t> kDomain{0, 232, "0 to 232"};
  Ros2Place place;
  place.domain = read_within(map, "domain", kDomain).value_or(0);
  place.interface = map.optional<std::string>("interface", "");
  if (!place.interface.empty() && !is_interface_name(place.interface)) {
    map.fault("interface", fmt::format("'{}' is no name of a network interface", shown(place.interface)));
  }
  return place;
}

void read_ros2_physics(YamlReader& physics, Configuration& configuration) {
  constexpr Range<Nanoseconds> kStale{10ms, 1h, "10ms to 1h"};
  Ros2Input& input = configuration.ros2_input.emplace();
  input.place = read_ros2_place(physics);
  input.fixed_frame = physics.optional<std::string>("fixed_frame", "map");
  input.socket = run_socket(configuration.name, kRos2Socket, RunSide::kGateway);
  const Bodies bodies(configuration.robots);
  const std::vector<std::string> names = names_in_physics(configuration);
  for (const std::string& name : names) {
    input.sources.push_back(
        {.message = Ros2Message::kPoseStamped, .name = "/vrpn_mocap/" + word_of_topic(name) + "/pose"});
  }
  for (auto [name, item] : physics.entries("poses")) {
    if (const auto body = place_of(item, name, "robot", bodies.names())) {
      input.sources[*body] = read_source(item, names[*body]);
    }
  }
  Ros2PosesOptions options;
  for (const Ros2Source& source : input.sources) {
    options.topics.push_back(source.name);
  }
  options.stale = read_within(physics, "stale", kStale).value_or(options.stale);
  input.stamps = physics.choice<bool>("stamps", {{"check", true}, {"ignore", false}}, true);
  options.stamps = input.stamps;
  if (const auto origin = read_origin(physics)) {
    options.origin = origin->place;
  }
  configuration.external_physics = FeedConfig{
      .sockets = {"unix:" + input.socket},
      .has_clock = true,
      .make = [socket = input.socket, options](asio::io_context& context, const std::vector<std::string>& robots) {
        return std::make_unique<Ros2Physics>(context, robots, socket, options);
      }};
}

}  // namespace hilgate
