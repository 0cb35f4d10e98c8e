// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "config/quantity.h"
#include "config/yaml_reader.h"
#include "gateway/commands/command_line.h"
#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/configuration/reader/installed_names.h"

namespace hilgate {
namespace {

constexpr std::uint32_t kMostRobots = 1024;
constexpr const char* kHeight = "1.5m";

struct NewOptions {
  std::uint32_t robots = 2;
  std::string radio = "wifi_11n_2g4_adhoc";
  std::string name = "lab";
  Metres spacing{20};
};

// As long as an update of so many links takes on one core, with room to spare (docs/reference/figures.md).
const char* window_for(std::uint32_t robots) {
  return robots <= 16 ? "1ms" : robots <= 64 ? "5ms" : robots <= 256 ? "10ms" : "50ms";
}

/// 0 is 10.77.0.1; .0 and .255 are left out, so that each address is a host's for every prefix.
std::string address_of(std::uint32_t robot) {
  return fmt::format("10.77.{}.{}", robot / 250, robot % 250 + 1);
}

std::string text_of(const NewOptions& options) {
  const auto columns = static_cast<std::uint32_t>(std::ceil(std::sqrt(options.robots)));
  std::string text = fmt::format(
      "# {0} robots with {1}, {2:g} m apart. `hilgate check FILE` says what is wrong with it; keys and their units are "
      "in\n"
      "# docs/reference/keys.md.\n\n"
      "name: {3}\nseed: 1\nwindow: {4}\n\n"
      "ports:                  # `hilgate lab up FILE` makes these interfaces; put a NIC where a real robot is "
      "connected\n",
      options.robots, options.radio, options.spacing.value, options.name, window_for(options.robots));
  for (std::uint32_t i = 1; i <= options.robots; ++i) {
    text += fmt::format("  r{0}: {{interface: hg-r{0}}}\n", i);
  }
  text += "\nrobots:\n";
  for (std::uint32_t i = 0; i < options.robots; ++i) {
    text += fmt::format("  r{0}: {{port: r{0}, mac: \"02:68:67:00:{1:02x}:{2:02x}\", ip: {3}, radio: {4}}}\n", i + 1,
                        (i + 1) >> 8, (i + 1) & 0xff, address_of(i), options.radio);
  }
  text += "\nphysics:\n  type: trajectory      # waypoints {at, position}; a robot stays at its last one\n  tracks:\n";
  for (std::uint32_t i = 0; i < options.robots; ++i) {
    text += fmt::format("    r{}: [{{at: 0s, position: [{:g}m, {:g}m, {}]}}]\n", i + 1,
                        i % columns * options.spacing.value, i / columns * options.spacing.value, kHeight);
  }
  text += fmt::format("\nnetsim: {{type: embedded}}\n\nlab:\n  mtu: 1500 B\n  prefix: {{ipv4: {}}}\n",
                      options.robots <= 250 ? 24 : 16);
  return text;
}

// The reader checks the options: their faults are faults of what would be printed.
int new_command(const NewOptions& options) {
  const std::string text = text_of(options);
  YamlDocument document = YamlDocument::parse(text, "new");
  static_cast<void>(read_configuration(document, known_names()));
  document.finish();
  fmt::print("{}", text);
  return 0;
}

}  // namespace

void add_new(CLI::App& program, Action& action) {
  auto* command =
      program.add_subcommand("new", "Print a configuration to start from: robots with one radio, in a grid");
  auto options = std::make_shared<NewOptions>();
  command->add_option("--robots", options->robots, "number of robots")
      ->check(CLI::Range(2U, kMostRobots))
      ->capture_default_str();
  command->add_option("--radio", options->radio, "radio profile, as `hilgate radio list` has them")
      ->capture_default_str();
  command->add_option("--name", options->name, "name of the run")->capture_default_str();
  add_quantity<Metres>(*command, "--spacing", "distance between neighbours [20m]",
                       [options](Metres spacing) { options->spacing = spacing; });
  command->callback([&action, options] { action = [options] { return new_command(*options); }; });
}

}  // namespace hilgate
