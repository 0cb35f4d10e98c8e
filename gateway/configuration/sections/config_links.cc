// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_impairments.h"
#include "gateway/configuration/sections/config_sections.h"

namespace hilgate {
namespace {

const std::vector<std::pair<std::string, ErrorPolicy>> kPolicies = {{"fcs_drop", ErrorPolicy::kFcsDrop},
                                                                    {"arq", ErrorPolicy::kArq},
                                                                    {"corrupt_raw", ErrorPolicy::kCorruptRaw},
                                                                    {"corrupt_fixsum", ErrorPolicy::kCorruptFixsum},
                                                                    {"mark_only", ErrorPolicy::kMarkOnly}};

/// The keys that change a link: its own, and those of the impairments.
std::vector<std::string_view> changing_keys() {
  std::vector<std::string_view> keys = {"delay", "ber", "policy", "protect_headers", "path_loss"};
  const std::vector<std::string_view> impairments = impairment_keys();
  keys.insert(keys.end(), impairments.begin(), impairments.end());
  return keys;
}

bool delivers_damage(const std::optional<ErrorPolicy>& policy) {
  return policy && *policy != ErrorPolicy::kFcsDrop && *policy != ErrorPolicy::kArq;
}

using Ends = std::vector<RobotIndex>;  // empty: every robot

void read_end(YamlReader& end, const std::vector<std::string>& robots, Ends& ends) {
  const auto name = end.as<std::string>();
  const auto place = name.empty() ? std::nullopt : place_of(end, name, "robot or \"*\"", robots);
  if (place && std::ranges::find(ends, RobotIndex{*place}) != ends.end()) {
    end.fault(fmt::format("'{}' is given twice", name));
  } else if (place) {
    ends.push_back(RobotIndex{*place});
  }
}

/// A robot by name, a list of robots, or "*".
Ends read_ends(YamlReader& link, std::string_view key, const std::vector<std::string>& robots) {
  Ends ends;
  YamlReader given = link.child(key);
  if (given.is_sequence()) {
    for (YamlReader& end : given.items()) {
      read_end(end, robots, ends);
    }
    if (given.size() == 0) {
      given.fault("names no robot; \"*\" stands for all");
    }
  } else if (!given.absent() && given.as<std::string>() != "*") {
    read_end(given, robots, ends);
  }
  return ends;
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

/// All but its ends.
LinkOverride read_link(YamlReader& link, const Configuration& configuration) {
  LinkOverride change;
  change.delay = read_delay(link);
  change.ber = read_bit_errors(link);
  if (link.has("policy")) {
    change.policy = link.choice<ErrorPolicy>("policy", kPolicies);
  }
  change.protect_headers = link.optional<bool>("protect_headers");
  change.path_loss = read_path_loss(link, configuration);
  change.impairments = read_impairments(link);
  const std::size_t ends = (link.has("from") ? 1 : 0) + (link.has("to") ? 1 : 0) + (link.has("filter") ? 1 : 0);
  if (link.size() == ends) {  // an unknown key is a fault by itself
    link.fault(fmt::format("has no effect; give at least one of {}", fmt::join(changing_keys(), ", ")));
  }
  if (change.ber && change.ber->meaning == BerMeaning::kResidual && !delivers_damage(change.policy)) {
    link.fault(
        "residual bit errors reach the application; set `policy: corrupt_raw`, "
        "`corrupt_fixsum` or `mark_only` with them");
  }
  return change;
}

/// For each link that the ends name. No robot has a link to itself.
void add_links(YamlReader& link, const Ends& from, const Ends& to, LinkOverride change, Configuration& configuration) {
  constexpr std::size_t kMostLinks = 65'536;
  if (from.size() * to.size() > kMostLinks) {
    link.fault(
        fmt::format("names {} links; allowed: up to {}, or \"*\" at one end", from.size() * to.size(), kMostLinks));
    return;
  }
  const auto each = [](const Ends& ends, const auto& visit) {
    if (ends.empty()) {
      return visit(std::optional<RobotIndex>{});
    }
    std::ranges::for_each(ends, [&visit](RobotIndex end) { visit(std::optional(end)); });
  };
  each(from, [&](std::optional<RobotIndex> sender) {
    each(to, [&](std::optional<RobotIndex> receiver) {
      if (!sender || sender != receiver) {
        change.from = sender;
        change.to = receiver;
        configuration.links.push_back(change);
      }
    });
  });
}

std::optional<FlowFilter> read_filter(YamlReader& link) {
  const auto text = link.required<std::string>("filter");
  if (text.find_first_not_of(" \t") == std::string::npos) {
    link.fault("filter", "is empty; an item about all frames has no filter");
    return std::nullopt;
  }
  try {
    return FlowFilter(text);
  } catch (const std::invalid_argument& error) {
    link.fault("filter", error.what());
    return std::nullopt;
  }
}

void lay_over(const LinkOverride& change, FlowRule& rule) {
  lay_over(change.impairments, rule.changes);
  if (change.delay) {
    rule.delay = change.delay->base;
    rule.changes.jitter = change.delay->jitter;
  }
}

/// A rule for frames that match. One for the same ends with the same filter is the same rule, changed.
void add_flow(YamlReader& link, Ends from, Ends to, const LinkOverride& change, Configuration& configuration) {
  for (const std::string_view key : {"ber", "policy", "protect_headers", "path_loss", "rate"}) {
    if (link.has(key)) {
      link.fault(key, "is about all frames of a link; put it into an item without `filter`");
    }
  }
  std::optional<FlowFilter> filter = read_filter(link);
  if (!filter) {
    return;
  }
  auto& flows = configuration.flows;
  auto flow = std::ranges::find_if(flows, [&](const FlowOverride& known) {
    return known.from == from && known.to == to && known.rule.filter.text() == filter->text();
  });
  if (flow == flows.end()) {
    flow = flows.insert(flows.end(), {std::move(from), std::move(to), FlowRule{.filter = *std::move(filter)}});
  }
  lay_over(change, flow->rule);
}

/// Where each pair's keys were given last, by the texts of `from` and `to`, with that of `filter`.
using KeyLines = std::map<std::pair<std::string, std::string>, std::map<std::string_view, int>>;

/// A line for people about each key that the same pair was given before. What `set` adds has no line: it is to win.
void note_repeated(YamlReader& link, KeyLines& lines, std::vector<std::string>& notes) {
  const auto is_named = [&link](std::string_view end) { return link.has(end) && link.child(end).is_scalar(); };
  if (!link.is_map() || link.line() == 0 || !is_named("from") || !is_named("to")) {
    return;
  }
  const auto from = link.required<std::string>("from");
  const auto to = link.required<std::string>("to");
  const std::string filter = link.has("filter") ? " " + link.optional<std::string>("filter", "") : "";
  for (const std::string_view key : changing_keys()) {
    if (!link.has(key)) {
      continue;
    }
    const auto [before, is_new] = lines[{from, to + filter}].try_emplace(key, link.line());
    if (!is_new) {
      notes.push_back(fmt::format("{}: {}: gives '{}' from '{}' to '{}' again; that in line {} has no effect",
                                  link.place(), link.path(), key, from, to,
                                  std::exchange(before->second, link.line())));
    }
  }
}

}  // namespace

void read_links(YamlReader& root, Configuration& configuration) {
  KeyLines lines;
  const std::vector<std::string> robots = names_of(configuration.robots);
  for (YamlReader& link : root.items("links")) {
    note_repeated(link, lines, configuration.repeated_links);
    Ends from = read_ends(link, "from", robots);
    Ends to = read_ends(link, "to", robots);
    if (from.size() == 1 && from == to) {
      link.fault(fmt::format("goes from '{0}' to '{0}'; a robot has no link to itself", robots[to.front().value()]));
    }
    const LinkOverride change = read_link(link, configuration);
    if (link.has("filter")) {
      add_flow(link, std::move(from), std::move(to), change, configuration);
    } else {
      add_links(link, from, to, change, configuration);
    }
  }
}

}  // namespace hilgate
