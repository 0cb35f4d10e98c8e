// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/reader/configuration_reader.h"

#include <array>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "gateway/configuration/frames_in_flight.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/configuration/reader/site_reader.h"
#include "gateway/configuration/scenario/scenario_reader.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/sections/robot_names.h"

namespace hilgate {
namespace {

ScenarioSetting setting_of(const Configuration& configuration) {
  const AccessNetworkConfig* network = access_network(configuration);
  return {.robots = robot_names(configuration),
          .access_points = network != nullptr ? names_of(network->access_points) : std::vector<std::string>{},
          .can_pause = configuration.pace == Pace::kDilate,
          .measures_delay = configuration.pace != Pace::kLockstep};
}

// What is wrong with a profile is reported where it is used.
void add_radio_facts(Configuration& configuration) {
  const bool decided_here = std::holds_alternative<EmbeddedConfig>(configuration.netsim);
  if (!decided_here && !configuration.dis) {
    return;
  }
  const std::vector<std::string> folders = profile_folders(configuration.profile_paths);
  std::map<std::string, std::pair<std::optional<RadioRate>, std::optional<dis::Emission>>> radios;
  for (std::size_t i = 0; i < configuration.robots.size(); ++i) {
    RobotConfig& robot = configuration.robots[i];
    if (robot.radio.empty()) {
      continue;
    }
    const auto [entry, is_new] = radios.try_emplace(robot.radio);
    auto& [rate, emission] = entry->second;
    if (const auto radio = is_new ? radio_facts(robot.radio, folders) : std::nullopt) {
      rate = decided_here && fills_memory(configuration, radio->rate) ? std::optional(radio->rate) : std::nullopt;
      emission = radio->emission;
    }
    robot.radio_rate = rate;
    if (configuration.dis) {
      configuration.dis->radios[i].emission = emission;
    }
  }
}

// A map, or the name of a file.
void read_scenario_of(YamlReader& root, Configuration& configuration) {
  auto scenario = root.optional_child("scenario");
  if (!scenario) {
    return;
  }
  if (!scenario->is_scalar()) {
    configuration.scenario = read_scenario(*scenario, setting_of(configuration));
    return;
  }
  try {
    configuration.scenario = load_scenario_for(configuration, root.file_of("scenario"));
  } catch (const ConfigError& error) {
    for (const Fault& fault : error.faults()) {
      scenario->fault(fault);
    }
  }
}

}  // namespace

Scenario load_scenario_for(const Configuration& configuration, const std::filesystem::path& file) {
  return load_scenario(file.string(), setting_of(configuration));
}

Scenario parse_scenario_for(const Configuration& configuration, const std::string& text, const std::string& name) {
  return parse_scenario(text, name, setting_of(configuration));
}

Configuration load_configuration(const std::filesystem::path& file, const KnownNames& known) {
  return parse_configuration(read_config_file(file.string()), file, known);
}

Configuration parse_configuration(const std::string& text, const std::filesystem::path& file, const KnownNames& known) {
  YamlDocument document = YamlDocument::parse(text, file.string());
  Configuration configuration = read_configuration(document, known);
  YamlReader root = document.root();
  read_scenario_of(root, configuration);
  configuration.references = document.references();
  document.finish([&known](YamlDocument& other) { read_configuration(other, known); });
  return configuration;
}

Configuration read_configuration(YamlDocument& document, const KnownNames& known) {
  Configuration configuration;
  configuration.file = document.file();
  configuration.old_keys = document.replace_old_keys(old_keys());
  YamlReader root = document.root();
  read_general(root, configuration);
  read_site(root, known, configuration);
  read_dpdk(root, configuration);
  read_ports(root, configuration);
  read_netsim(root, configuration);
  read_robots(root, known, configuration);
  read_scene(root, known, configuration.world.scene);
  read_access_points(root, known, configuration);
  check_lines(root, configuration);
  read_physics(root, known, configuration);
  read_cores(root, configuration);
  read_traces(root, configuration);
  read_kernel_links(root, configuration);
  read_links(root, configuration);
  read_jammers(root, configuration);
  read_pace(root, configuration);
  read_judged_robots(root, configuration);
  read_clock(root, configuration);
  read_lab(root, configuration);
  read_telemetry(root, configuration);
  read_capture(root, configuration);
  read_record(root, configuration);
  read_web(root, configuration);
  read_foxglove(root, configuration);
  read_ros2(root, configuration);
  check_site(root, configuration);
  add_radio_facts(configuration);
  auto memory = root.optional_child("memory");
  auto hold = root.optional_child("hold");
  size_memory(memory && memory->has("frames"), hold && hold->has("frames"), configuration);
  static_cast<void>(root.has("scenario"));  // the file alone has one, whatever changes at run time
  configuration.references = document.references();
  return configuration;
}

// Version 0.1.0 is the first; tests/gateway/configuration/earlier has configurations from before it, which still load.
std::span<const OldKey> old_keys() {
  static constexpr std::array<OldKey, 1> kOldKeys = {{{"hot_loop", "packet_loop"}}};
  return kOldKeys;
}

}  // namespace hilgate
