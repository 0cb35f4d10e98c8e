// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/conditions/port_conditions.h"

#include <fmt/format.h>

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kShown = 10s;  // after the last loss

std::string lost_text(const FrameLosses& losses) {
  std::string text;
  for (const auto& [cause, frames] : losses) {
    if (frames > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", cause, frames);
    }
  }
  return text;
}

}  // namespace

void PortConditions::find_losses(const PortReport& port, std::vector<Condition>& found) {
  const std::uint64_t lost = total(port.lost_at_capture) + total(port.lost_at_sending);
  Seen& before = seen_[port.name];
  // What came until the port was open was kept out, as promised: robots talk before a run begins.
  if (before.up && lost > before.lost) {
    std::string text = fmt::format("port {}: loses frames beside the packet path", port.name);
    if (total(port.lost_at_capture) > 0) {
      text += fmt::format("; {} at capture ({})", total(port.lost_at_capture), lost_text(port.lost_at_capture));
    }
    if (total(port.lost_at_sending) > 0) {
      text += fmt::format("; {} at sending ({})", total(port.lost_at_sending), lost_text(port.lost_at_sending));
    }
    found.push_back({.name = "port_loses", .about = port.name, .text = std::move(text), .lasts = kShown});
  }
  before = {.up = port.state == "up", .lost = lost};
}

void PortConditions::find(const Configuration& configuration, const std::vector<PortReport>& ports, bool wired,
                          std::vector<Condition>& found) {
  for (const PortReport& port : ports) {
    if (port.state != "up") {
      const char* lab = configuration.lab && port.state == "absent" ? "; `hilgate lab up` creates it" : "";
      found.push_back({.name = "port_unplugged",
                       .about = port.name,
                       .text = fmt::format("port {}: {} is {}, its robots are unplugged: {}{}", port.name,
                                           port.interface, port.state, port.problem, lab),
                       .is_logged = false});
    }
    find_losses(port, found);
  }
  if (wired) {
    found.push_back({.name = "wired",
                     .text = fmt::format("wire on: the robots are connected in the kernel and nothing is simulated; "
                                         "`hilgate wire off {}` ends this",
                                         configuration.name)});
  }
}

}  // namespace hilgate
