// SPDX-License-Identifier: Apache-2.0
// Simulators and position feeds that are programs of their own.
#include <stdexcept>

#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/simulator_endpoints.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

Endpoint read_endpoint(YamlReader& map, std::string_view key, const std::string& text) {
  try {
    return Endpoint::parse(text);
  } catch (const std::runtime_error& error) {
    map.fault(key, error.what());
    return {};
  }
}

// Where we listen for a feed: HOST:PORT.
Endpoint read_host_and_port(YamlReader& map, const std::string& usual) {
  const auto text = map.optional<std::string>("address", usual);
  try {
    return Endpoint::parse("tcp:" + text);
  } catch (const std::runtime_error&) {
    map.fault("address", fmt::format("'{}' is not a host and port; example: {}", text, usual));
    return {};
  }
}

void read_step(YamlReader& map, Nanoseconds window, SimulatorConfig& config) {
  const auto step = map.optional<Nanoseconds>("step");
  if (!step) {
    return;
  }
  if (step->count() <= 0 || window % *step != 0ns) {
    map.fault("step", fmt::format("'{}' does not divide the window of {:g} ms", map.required<std::string>("step"),
                                  static_cast<double>(window.count()) / 1e6));
    return;
  }
  config.step = *step;
}

}  // namespace

SimulatorConfig read_simulator(YamlReader& map, SimulatorProtocol protocol, const std::string& usual,
                               Nanoseconds window) {
  constexpr Range<Nanoseconds> kPatience{0s, 24h, "0s (no limit) to 24h"};
  constexpr Range<Nanoseconds> kTimeout{0s, 24h, "0s (never) to 24h"};
  SimulatorConfig config{.protocol = protocol};
  config.address = read_endpoint(map, "address", map.optional<std::string>("address", "unix:" + usual));
  if (map.has("role")) {
    config.listen = map.choice<bool>("role", {{"listen", true}, {"connect", false}});
  }
  read_step(map, window, config);
  config.patience = read_within(map, "patience", kPatience).value_or(config.patience);
  config.timeout = read_within(map, "timeout", kTimeout).value_or(config.timeout);
  if (protocol == SimulatorProtocol::kDancers) {
    config.dancers = map.choice<dancers::Version>(
        "version",
        {{"1.0", dancers::Version::kV1}, {"2025", dancers::Version::kLegacy}, {"2024", dancers::Version::kTimed}},
        config.dancers);
  }
  return config;
}

FeedConfig read_feed(YamlReader& physics, FeedConfig::Kind kind, const std::string& run) {
  FeedConfig config{.kind = kind};
  switch (kind) {
    case FeedConfig::Kind::kCornet:
      config.clock = physics.optional<std::string>("clock", run_socket(run, kCornetClockSocket, RunSide::kGateway));
      config.positions =
          physics.optional<std::string>("positions", run_socket(run, kCornetPositionsSocket, RunSide::kGateway));
      break;
    case FeedConfig::Kind::kCornet2:
      config.address = read_host_and_port(physics, "127.0.0.1:12345");
      break;
    case FeedConfig::Kind::kFlyNetSim:
      config.publisher = physics.optional<std::string>("address", "tcp://127.0.0.1:5600");
      break;
    case FeedConfig::Kind::kRoboNetSim:
      config.address = read_host_and_port(physics, "127.0.0.1:9999");
      break;
    case FeedConfig::Kind::kAvens:
      config.file = std::filesystem::path(physics.file()).parent_path() / physics.required<std::string>("file");
      break;
  }
  return config;
}

}  // namespace hilgate
