// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "config/radio_name.h"
#include "gateway/commands/command_line.h"
#include "gateway/run/control/control_client.h"
#include "gateway/status/status_report.h"

namespace hilgate {

struct StatusOptions {
  std::string run;                  // the name of the run; empty: the only one there is
  bool json = false;                // for programs instead of people
  bool watch = false;               // again each second, until SIGINT or until the run ends
  std::vector<std::string> robots;  // whose links, ports and positions; empty: all
};

namespace {

using Names = std::set<std::string>;

bool is_one_of(const nlohmann::ordered_json& entry, const char* key, const Names& names) {
  return names.contains(entry[key].get<std::string>());
}

// Of a radio: also where its robot is among the names.
bool is_of(const nlohmann::ordered_json& entry, const char* key, const Names& names) {
  const auto text = entry[key].get<std::string>();
  return std::ranges::any_of(names, [&text](const std::string& name) { return stands_for(name, text); });
}

void refuse_unknown(const Names& names, const Names& known) {
  for (const std::string& name : names) {
    if (!known.contains(name)) {
      throw std::runtime_error(
          fmt::format("no robot of this run is called '{}'; there are: {}", name, fmt::join(known, ", ")));
    }
  }
}

}  // namespace

// Reduces a status document to these robots: links that begin or end at one of them, and their entries of robots, ports
// and unknown senders. Totals stay those of all. Throws std::runtime_error with the known robots for an unknown name.
void keep_robots(nlohmann::ordered_json& status, const std::vector<std::string>& names) {
  const Names wanted(names.begin(), names.end());
  Names known;
  Names ports;
  for (const auto& robot : status["robots"]) {
    known.insert(robot["name"].get<std::string>());
    known.insert(robot.value("body", robot["name"].get<std::string>()));
    if (is_of(robot, "name", wanted)) {
      ports.insert(robot["port"].get<std::string>());
    }
  }
  refuse_unknown(wanted, known);
  const auto keep = [&](const char* list, const auto& wants) {
    auto kept = nlohmann::ordered_json::array();
    std::ranges::copy_if(status[list], std::back_inserter(kept), wants);
    status[list] = std::move(kept);
  };
  keep("robots", [&](const auto& robot) { return is_of(robot, "name", wanted); });
  keep("ports", [&](const auto& port) { return is_one_of(port, "name", ports); });
  keep("unknown_senders", [&](const auto& sender) { return is_one_of(sender, "port", ports); });
  keep("links", [&](const auto& link) { return is_of(link, "from", wanted) || is_of(link, "to", wanted); });
}

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

// `hilgate status`: prints the state of a gateway that runs on this machine. Returns the exit status. Throws
// std::runtime_error when none runs, or several and no name is given.
int status_command(const StatusOptions& options) {
  if (options.watch) {
    return watch(options);
  }
  const auto status = asked(running_gateway(options.run), options);
  fmt::print("{}", options.json ? status.dump(2) + "\n" : status_text(status));
  return 0;
}

void add_status(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("status", "Show a running gateway: links, windows, clock, drops by reason");
  auto options = std::make_shared<StatusOptions>();
  command->add_option("RUN", options->run, "name of the run; optional when only one is running");
  auto* json = command->add_flag("--json", options->json, "print JSON");
  command->add_flag("--watch", options->watch, "print it again each second")->excludes(json);
  command->add_option("--robot", options->robots, "only links, port and place of this robot; can be repeated");
  command->callback([&action, options] { action = [options] { return status_command(*options); }; });
}

}  // namespace hilgate
