// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/status.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "gateway/commands/running.h"
#include "gateway/daemon/control/control_client.h"
#include "gateway/daemon/status/status_report.h"

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

int watch(const std::string& run) {
  const auto socket = running_gateway(run);
  for (auto next = std::chrono::steady_clock::now();; std::this_thread::sleep_until(next)) {
    next += kEvery;
    fmt::print("{}", over_the_last(status_text(control_request(socket, {{"command", "status"}}))));
    std::fflush(stdout);
  }
}

}  // namespace

int status_command(const StatusOptions& options) {
  if (options.watch) {
    return watch(options.run);
  }
  const auto status = control_request(running_gateway(options.run), {{"command", "status"}});
  fmt::print("{}", options.json ? status.dump(2) + "\n" : status_text(status));
  return 0;
}

}  // namespace hilgate
