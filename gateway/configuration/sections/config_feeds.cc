// SPDX-License-Identifier: Apache-2.0
// Positions that other programs push, one reader for each type of physics.
#include <stdexcept>

#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/simulator_endpoints.h"
#include "physics_link/feeds/avens_physics.h"
#include "physics_link/feeds/feed_physics.h"
#include "physics_link/feeds/feed_sockets.h"
#include "physics_link/feeds/flynetsim_feed.h"

namespace hilgate {
namespace {

// Where we listen: HOST:PORT.
Endpoint read_host_and_port(YamlReader& map, const std::string& usual) {
  const auto text = map.optional<std::string>("address", usual);
  try {
    const Endpoint address = Endpoint::parse("tcp:" + text);
    check_reach(map, address);
    return address;
  } catch (const std::runtime_error&) {
    map.fault("address", fmt::format("'{}' is not a host and port; example: {}", text, usual));
    return {};
  }
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
  const auto file = std::filesystem::path(physics.file()).parent_path() / physics.required<std::string>("file");
  return {.make = [file](asio::io_context&, const std::vector<std::string>& robots) {
    return std::make_unique<OwnedPhysics<AvensPhysics>>(file, robots.size());
  }};
}

}  // namespace hilgate
