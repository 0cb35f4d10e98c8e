// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/configuration/bodies.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_impairments.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/sections/robot_names.h"

namespace hilgate {
namespace {

const std::vector<std::pair<std::string, ErrorPolicy>> kPolicies = {{"fcs_drop", ErrorPolicy::kFcsDrop},
                                                                    {"arq", ErrorPolicy::kArq},
                                                                    {"corrupt_raw", ErrorPolicy::kCorruptRaw},
                                                                    {"corrupt_fixsum", ErrorPolicy::kCorruptFixsum},
                                                                    {"mark_only", ErrorPolicy::kMarkOnly}};

bool delivers_damage(const std::optional<ErrorPolicy>& policy) {
  return policy && *policy != ErrorPolicy::kFcsDrop && *policy != ErrorPolicy::kArq;
}

/// The radios of an end; without a value for "*". Empty after a fault.
std::vector<std::optional<RobotIndex>> read_end(YamlReader& link, std::string_view key,
                                                const Configuration& configuration) {
  const auto name = link.required<std::string>(key);
  if (!link.has(key) || name == "*") {
    return {std::nullopt};
  }
  const auto radios = radios_named(link.child(key), name, "robot or \"*\"", configuration);
  return {radios.begin(), radios.end()};
}

/// `change` for each link between the two ends; radios of one robot have no links between them.
std::vector<LinkOverride> read_ends(YamlReader& link, const Configuration& configuration, const LinkOverride& change) {
  std::vector<LinkOverride> changes;
  const auto radios_from = read_end(link, "from", configuration);
  const auto radios_to = read_end(link, "to", configuration);
  for (const auto& from : radios_from) {
    for (const auto& to : radios_to) {
      if (!from || !to || !share_body(configuration.robots[from->value()], configuration.robots[to->value()])) {
        changes.push_back(change);
        changes.back().from = from;
        changes.back().to = to;
      }
    }
  }
  if (changes.empty() && !radios_from.empty() && !radios_to.empty()) {
    const auto from = link.required<std::string>("from");
    const auto to = link.required<std::string>("to");
    link.fault(
        fmt::format("goes from '{}' to '{}'; {}", from, to,
                    from == to ? "a robot has no link to itself" : "radios of one robot have no links between them"));
  }
  return changes;
}

// What the radio models would say; only they know of it.
std::optional<Decibels> read_path_loss(YamlReader& link, const Configuration& configuration) {
  constexpr Range<Decibels> kLoss{{0}, {300}, "0 dB to 300 dB"};
  const auto loss = read_within(link, "path_loss", kLoss);
  if (loss &&
      (!std::holds_alternative<EmbeddedConfig>(configuration.netsim) || access_network(configuration) != nullptr)) {
    link.fault("path_loss", "needs the netsim embedded, and radios that hear one another without access points");
  }
  return loss;
}

std::vector<LinkOverride> read_link(YamlReader& link, const Configuration& configuration) {
  LinkOverride change;
  change.delay = read_delay(link);
  change.ber = read_bit_errors(link);
  if (link.has("policy")) {
    change.policy = link.choice<ErrorPolicy>("policy", kPolicies);
  }
  change.protect_headers = link.optional<bool>("protect_headers");
  change.path_loss = read_path_loss(link, configuration);
  change.impairments = read_impairments(link);
  const std::size_t ends = (link.has("from") ? 1 : 0) + (link.has("to") ? 1 : 0);
  if (link.size() == ends) {  // an unknown key is a fault by itself
    link.fault(fmt::format("has no effect; give at least one of {}", fmt::join(link_keys(), ", ")));
  }
  if (change.ber && change.ber->meaning == BerMeaning::kResidual && !delivers_damage(change.policy)) {
    link.fault(
        "residual bit errors reach the application; set `policy: corrupt_raw`, "
        "`corrupt_fixsum` or `mark_only` with them");
  }
  return read_ends(link, configuration, change);
}

/// Where each pair's keys were given last, by the texts of `from` and `to`.
using KeyLines = std::map<std::pair<std::string, std::string>, std::map<std::string_view, int>>;

/// A line for people about each key that the same pair was given before. What `set` adds has no line: it is to win.
void note_repeated(YamlReader& link, KeyLines& lines, std::vector<std::string>& notes) {
  const auto is_named = [&link](std::string_view end) { return link.has(end) && link.child(end).is_scalar(); };
  if (!link.is_map() || link.line() == 0 || !is_named("from") || !is_named("to")) {
    return;
  }
  const auto from = link.required<std::string>("from");
  const auto to = link.required<std::string>("to");
  for (const std::string_view key : link_keys()) {
    if (!link.has(key)) {
      continue;
    }
    const auto [before, is_new] = lines[{from, to}].try_emplace(key, link.line());
    if (!is_new) {
      notes.push_back(fmt::format("{}: {}: gives '{}' from '{}' to '{}' again; that in line {} has no effect",
                                  link.place(), link.path(), key, from, to,
                                  std::exchange(before->second, link.line())));
    }
  }
}

}  // namespace

std::vector<std::string_view> link_keys() {
  std::vector<std::string_view> keys = {"delay", "ber", "policy", "protect_headers", "path_loss"};
  const std::vector<std::string_view> impairments = impairment_keys();
  keys.insert(keys.end(), impairments.begin(), impairments.end());
  return keys;
}

void read_links(YamlReader& root, Configuration& configuration) {
  KeyLines lines;
  for (YamlReader& link : root.items("links")) {
    note_repeated(link, lines, configuration.repeated_links);
    std::ranges::move(read_link(link, configuration), std::back_inserter(configuration.links));
  }
}

}  // namespace hilgate
