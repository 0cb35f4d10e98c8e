// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/set.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gateway/commands/running.h"
#include "gateway/daemon/control/control_client.h"

namespace hilgate {

int set_command(const SetOptions& options) {
  control_request(running_gateway(options.run), {{"command", "set"}, {"values", options.values}});
  return 0;
}

int get_command(const GetOptions& options) {
  const auto values = control_request(running_gateway(options.run), {{"command", "get"}, {"keys", options.keys}});
  for (const auto& each : values) {
    fmt::print("{}\n", each.at("value").get<std::string>());
  }
  return 0;
}

int reload_command(const std::string& run) {
  control_request(running_gateway(run), {{"command", "reload"}});
  return 0;
}

int pause_command(const std::string& run, bool stand) {
  control_request(running_gateway(run), {{"command", stand ? "pause" : "resume"}});
  return 0;
}

}  // namespace hilgate
