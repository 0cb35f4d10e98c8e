// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/set.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gateway/run/control/control_client.h"
#include "gateway/run/control/running.h"

namespace hilgate {

namespace {

// Gateways of a site change with one window; one whose machine is too busy for it says so.
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

int set_command(const SetOptions& options) {
  return change(options.run, {{"command", "set"}, {"values", options.values}});
}

int get_command(const GetOptions& options) {
  const auto values = control_request(running_gateway(options.run), {{"command", "get"}, {"keys", options.keys}});
  for (const auto& each : values) {
    fmt::print("{}\n", each.at("value").get<std::string>());
  }
  return 0;
}

int reload_command(const std::string& run) {
  return change(run, {{"command", "reload"}});
}

int pause_command(const std::string& run, bool stand) {
  control_request(running_gateway(run), {{"command", stand ? "pause" : "resume"}});
  return 0;
}

}  // namespace hilgate
