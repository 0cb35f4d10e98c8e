// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/robots_status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace hilgate {
namespace {

using Names = std::set<std::string>;

bool is_of(const nlohmann::ordered_json& entry, const char* key, const Names& names) {
  return names.contains(entry[key].get<std::string>());
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

void keep_robots(nlohmann::ordered_json& status, const std::vector<std::string>& names) {
  const Names wanted(names.begin(), names.end());
  Names known;
  Names ports;
  for (const auto& robot : status["robots"]) {
    known.insert(robot["name"].get<std::string>());
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
  keep("ports", [&](const auto& port) { return is_of(port, "name", ports); });
  keep("unknown_senders", [&](const auto& sender) { return is_of(sender, "port", ports); });
  keep("links", [&](const auto& link) { return is_of(link, "from", wanted) || is_of(link, "to", wanted); });
}

}  // namespace hilgate
