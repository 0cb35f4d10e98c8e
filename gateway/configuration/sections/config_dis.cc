// SPDX-License-Identifier: Apache-2.0
// DIS: `physics: {type: dis}`, and `dis:`, which sends radios.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gateway/configuration/bodies.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/simulator_config.h"
#include "physics_link/dis/dis_feed.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr Range<std::uint32_t> kExercise{1, 255, "1 to 255"};

// By body, in the order of Bodies: that of its item, its entity in physics, or one of `site` and `application` with the
// body's number.
std::vector<dis::EntityId> read_entities(YamlReader& dis, const Configuration& configuration, const Bodies& bodies) {
  constexpr Range<std::uint16_t> kNumber{0, 65534, "0 to 65534"};
  const std::uint16_t site = read_within(dis, "site", kNumber).value_or(1);
  const std::uint16_t application = read_within(dis, "application", kNumber).value_or(1);
  const std::vector<std::string> in_physics = names_in_physics(configuration);
  std::vector<dis::EntityId> entities;
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    const auto number = static_cast<std::uint16_t>(body + 1);
    entities.push_back(dis::EntityId::parse(in_physics[body]).value_or(dis::EntityId{site, application, number}));
  }
  auto robots = dis.optional_child("robots");
  for (auto [name, map] : robots ? robots->entries() : std::vector<YamlReader::Entry>{}) {
    const auto body = place_of(map, name, "robot", bodies.names());
    const auto text = map.required<std::string>("entity");
    const auto id = dis::EntityId::parse(text);
    if (!id && map.has("entity")) {
      map.fault("entity", fmt::format("'{}' is no entity; it is SITE:APPLICATION:ENTITY, each 0 to 65535, for example "
                                      "\"1:1:7\"",
                                      text));
    } else if (id && body) {
      entities[*body] = *id;
    }
  }
  std::map<dis::EntityId, std::size_t> owners;
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    if (const auto [before, is_new] = owners.emplace(entities[body], body); !is_new) {
      dis.fault(
          fmt::format("robots '{}' and '{}' are both the entity {}; give one of them another `entity` under "
                      "`robots`",
                      bodies.names()[before->second], bodies.names()[body], entities[body].text()));
    }
  }
  return entities;
}

}  // namespace

void read_dis(YamlReader& root, Configuration& configuration) {
  auto dis = root.optional_child("dis");
  if (!dis) {
    return;
  }
  constexpr Range<std::uint16_t> kPort{1, 65535, "1 to 65535"};
  constexpr Range<Nanoseconds> kEvery{100ms, 2s, "100ms to 2s, the heartbeat of Transmitter PDUs"};
  DisConfig& config = configuration.dis.emplace();
  config.to = read_host_or_group(*dis, "to");
  config.port = read_within(*dis, "port", kPort).value_or(3000);
  config.exercise = static_cast<std::uint8_t>(read_within(*dis, "exercise", kExercise).value_or(1));
  config.every = read_within(*dis, "every", kEvery).value_or(config.every);
  check_geographic(*dis, configuration.world.scene);
  const Bodies bodies(configuration.robots);
  const std::vector<dis::EntityId> entities = read_entities(*dis, configuration, bodies);
  for (std::uint32_t i = 0; i < configuration.robots.size(); ++i) {
    const std::uint32_t body = bodies.of_radios()[i];
    const auto number = static_cast<std::uint16_t>(i - bodies.first_radio(body).value() + 1);
    config.radios.push_back({.id = {.entity = entities[body], .radio = number}});
  }
  if (std::ranges::all_of(configuration.robots, [](const RobotConfig& robot) { return robot.radio.empty(); })) {
    dis->fault("no robot has a `radio`, whose profile has the frequency and power that PDUs state");
  }
}

void read_dis_physics(YamlReader& physics, Configuration& configuration) {
  const Endpoint address = read_host_and_port(physics, "127.0.0.1:3000");
  DisOptions options{.exercise = static_cast<std::uint8_t>(read_within(physics, "exercise", kExercise).value_or(1))};
  if (const auto origin = read_origin(physics)) {
    options.origin = origin->place;
  } else {
    physics.fault("misses the key 'origin', where x, y and z are 0: entities have positions on the earth");
  }
  const Bodies bodies(configuration.robots);
  std::map<dis::EntityId, std::string> robots;
  const std::vector<std::string> entities = names_in_physics(configuration);
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    const std::string& robot = bodies.names()[body];
    const auto id = dis::EntityId::parse(entities[body]);
    if (!id) {
      physics.fault(
          fmt::format("robot '{}' has no entity: robots.{}.id is SITE:APPLICATION:ENTITY, each 0 to 65535, "
                      "for example \"1:1:7\"; it is '{}'",
                      robot, robot, entities[body]));
    } else if (const auto [before, is_new] = robots.emplace(*id, robot); !is_new) {
      physics.fault(fmt::format("robots '{}' and '{}' are both the entity {}", before->second, robot, id->text()));
    }
  }
  configuration.external_physics =
      FeedConfig{.sockets = {fmt::format("udp:{}:{}", address.host, address.port)},
                 .make = [address, options](asio::io_context& context, const std::vector<std::string>& names) {
                   return std::make_unique<DisPhysics>(context, names, address, options);
                 }};
}

}  // namespace hilgate
