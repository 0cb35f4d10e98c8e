// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "gateway/commands/command_line.h"
#include "gateway/run/control/control_client.h"

namespace hilgate {

struct SetOptions {
  std::string run;                  // the name of the run; empty: the only one there is
  std::vector<std::string> values;  // KEY=VALUE each; see ConfigDocument::with
};

struct GetOptions {
  std::string run;                // as above
  std::vector<std::string> keys;  // paths, see ConfigDocument::value; empty: all
};

namespace {

// Gateways of a site change with one window; one whose machine is too busy for it reports a later window.
int change(const std::string& run, const nlohmann::json& request) {
  const auto result = control_request(running_gateway(run), request);
  const auto late = result.value("late", nlohmann::ordered_json::object());
  for (const auto& [gateway, window] : late.items()) {
    fmt::print(stderr, "hilgate: gateway {} was too busy for window {}, and has changed with window {}\n", gateway,
               result["window"].get<std::uint64_t>(), window.get<std::uint64_t>());
  }
  return 0;
}

}  // namespace

// `hilgate set`: changes values of a running gateway, all or none. Returns the exit status. Throws std::runtime_error
// with what the gateway has against them.
int set_command(const SetOptions& options) {
  return change(options.run, {{"command", "set"}, {"values", options.values}});
}

// `hilgate get`: prints what the configuration of a running gateway has under keys. Returns and throws likewise.
int get_command(const GetOptions& options) {
  const auto values = control_request(running_gateway(options.run), {{"command", "get"}, {"keys", options.keys}});
  for (const auto& each : values) {
    fmt::print("{}\n", each.at("value").get<std::string>());
  }
  return 0;
}

// `hilgate reload`: reloads the configuration file (same as SIGHUP). Returns and throws likewise.
int reload_command(const std::string& run) {
  return change(run, {{"command", "reload"}});
}

// `hilgate pause` and `hilgate resume`: stop and continue simulation time. Returns and throws likewise.
int pause_command(const std::string& run, bool stand) {
  control_request(running_gateway(run), {{"command", stand ? "pause" : "resume"}});
  return 0;
}

namespace {

void add_set_command(CLI::App& program, Action& action) {
  auto* command =
      program.add_subcommand("set", "Change values of a running gateway without losing a frame; all or none");
  auto options = std::make_shared<SetOptions>();
  command->add_option("--run", options->run, "name of the run; optional when only one is running");
  command
      ->add_option("VALUE", options->values,
                   "KEY=VALUE: a configuration key (window=2ms, robots.red.radio=wifi_11ac_80) or a link's key "
                   "(links.red.blue.delay=5ms, links.*.*.loss='0.1 %'); KEY= removes it")
      ->required();
  command->callback([&action, options] { action = [options] { return set_command(*options); }; });
}

void add_get(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("get", "Show the configuration of a running gateway, with what was set");
  auto options = std::make_shared<GetOptions>();
  command->add_option("--run", options->run, "name of the run; optional when only one is running");
  command->add_option("KEY", options->keys,
                      "key as for `set` (window, robots.red.radio, links.red.blue.delay); all without");
  command->callback([&action, options] { action = [options] { return get_command(*options); }; });
}

void add_reload(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("reload", "Reload the configuration file (same as SIGHUP)");
  auto run = std::make_shared<std::string>();
  command->add_option("RUN", *run, "name of the run; optional when only one is running");
  command->callback([&action, run] { action = [run] { return reload_command(*run); }; });
}

void add_pause(CLI::App& program, Action& action) {
  for (const bool stand : {true, false}) {
    auto* command = program.add_subcommand(stand ? "pause" : "resume",
                                           stand ? "Stop the simulation time of a running gateway (pace dilate only)"
                                                 : "Continue the simulation time of a paused gateway");
    auto run = std::make_shared<std::string>();
    command->add_option("RUN", *run, "name of the run; optional when only one is running");
    command->callback([&action, run, stand] { action = [run, stand] { return pause_command(*run, stand); }; });
  }
}

}  // namespace

void add_set(CLI::App& program, Action& action) {
  add_set_command(program, action);
  add_get(program, action);
  add_reload(program, action);
  add_pause(program, action);
}

}  // namespace hilgate
