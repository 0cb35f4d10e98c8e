// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/status.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "gateway/commands/robots_status.h"
#include "gateway/run/control/control_client.h"
#include "gateway/run/control/running.h"
#include "gateway/status/status_report.h"

namespace hilgate {
namespace {

constexpr std::chrono::seconds kEvery{1};

// From the top, over what stood there: a terminal that is cleared first flickers.
std::string over_the_last(const std::string& text) {
  std::string screen = "\033[H";
  for (const char c : text) {
    screen += c == '\n' ? "\033[K\n" : std::string(1, c);
  }
  return screen + "\033[J";
}

nlohmann::ordered_json asked(const std::filesystem::path& socket, const StatusOptions& options) {
  auto status = control_request(socket, {{"command", "status"}, {"robots", options.robots}});
  if (!options.robots.empty()) {
    keep_robots(status, options.robots);
  }
  return status;
}

int watch(const StatusOptions& options) {
  const auto socket = running_gateway(options.run);
  for (auto next = std::chrono::steady_clock::now();; std::this_thread::sleep_until(next)) {
    next += kEvery;
    fmt::print("{}", over_the_last(status_text(asked(socket, options))));
    std::fflush(stdout);
  }
}

}  // namespace

int status_command(const StatusOptions& options) {
  if (options.watch) {
    return watch(options);
  }
  const auto status = asked(running_gateway(options.run), options);
  fmt::print("{}", options.json ? status.dump(2) + "\n" : status_text(status));
  return 0;
}

}  // namespace hilgate
