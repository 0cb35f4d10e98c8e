// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "config/nearest.h"
#include "config/plain_text.h"
#include "config/range.h"
#include "gateway/configuration/scenario/scenario_reader.h"

namespace hilgate {
namespace {

std::optional<std::string> read_robot(YamlReader& item, std::string_view key, const std::vector<std::string>& robots) {
  const auto name = item.optional<std::string>(key);
  if (!name || *name == "*") {
    return std::nullopt;
  }
  if (std::ranges::find(robots, *name) == robots.end()) {
    const std::string guess = guess_for(*name, robots);
    item.fault(key, fmt::format("'{}' is not a robot or \"*\";{}{} known: {}", *name, guess.empty() ? "" : " ", guess,
                                fmt::join(robots, ", ")));
  }
  return name;
}

template <class T>
std::optional<double> read_bound(YamlReader& map, std::string_view key, Expectation& expectation) {
  const auto value = map.optional<T>(key);
  if (!value) {
    return std::nullopt;
  }
  expectation.bounds += fmt::format("{}{} {}", expectation.bounds.empty() ? "" : " and ",
                                    key == "at_least" ? "at least" : "at most", map.required<std::string>(key));
  return static_cast<double>(magnitude(*value));
}

template <class T>
void read_bounds(YamlReader& item, std::string_view kind, Expectation& expectation) {
  YamlReader map = item.child(kind);
  expectation.at_least = read_bound<T>(map, "at_least", expectation);
  expectation.at_most = read_bound<T>(map, "at_most", expectation);
  if (!map.has("at_least") && !map.has("at_most")) {
    map.fault("bounds nothing; give `at_least`, `at_most` or both");
  }
}

std::vector<DropReason> read_reasons(YamlReader& map, std::string_view key) {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const DropReasonRow& row : kDropReasonTable) {
      names.emplace_back(row.name);
    }
    return names;
  }();
  std::vector<DropReason> reasons;
  for (const std::string& word : map.list<std::string>(key)) {
    const auto found = std::ranges::find(kNames, word);
    if (found == kNames.end()) {
      map.fault(key, fmt::format("'{}' is not a drop reason; {}", shown(word), hint_for(word, kNames)));
    } else {
      reasons.push_back(static_cast<DropReason>(found - kNames.begin()));
    }
  }
  return reasons;
}

void read_drops(YamlReader& item, Expectation& expectation) {
  YamlReader map = item.child("drops");
  expectation.absent = read_reasons(map, "absent");
  expectation.present = read_reasons(map, "present");
  if (!map.has("absent") && !map.has("present")) {
    map.fault("names no drop reason; give `absent`, `present` or both");
  }
}

void read_delay(YamlReader& item, const ScenarioSetting& setting, Expectation& expectation) {
  YamlReader map = item.child("delay");
  constexpr Range<double> kPercentiles{1, 99.99, "1 to 99.99"};
  constexpr double kPercent = 100;
  expectation.share = read_within(map, "percentile", kPercentiles).value_or(50) / kPercent;
  read_bounds<Nanoseconds>(item, "delay", expectation);
  if (!setting.measures_delay) {
    item.fault("delay", "is measured by the host's clock, which means nothing with `pace: lockstep`");
  }
}

void read_handover(YamlReader& item, const ScenarioSetting& setting, Expectation& expectation) {
  YamlReader map = item.child("handover");
  const auto name = [&map](std::string_view key, const std::vector<std::string>& known) {
    const auto given = map.optional<std::string>(key);
    if (given && std::ranges::find(known, *given) == known.end()) {
      map.fault(key, fmt::format("'{}' is not known; {}", shown(*given), hint_for(*given, known)));
    }
    return given;
  };
  expectation.robot = name("robot", setting.robots).value_or("");
  if (!map.has("robot")) {
    map.fault("misses the key 'robot', the station that changes its access point");
  }
  expectation.access_point = name("to", setting.access_points);
  constexpr Range<Nanoseconds> kBreak{Nanoseconds{1}, ScenarioInstants::kLatest, "1ns to 8760h"};
  expectation.within = read_within(map, "within", kBreak);
}

void read_reach(YamlReader& item, Expectation& expectation) {
  using Reach = Expectation::Reach;
  expectation.reach =
      item.choice<Reach>("reachable", {{"always", Reach::kAlways}, {"never", Reach::kNever}, {"once", Reach::kOnce}});
}

void read_during(YamlReader& item, const ScenarioInstants& instants, Expectation& expectation) {
  if (!item.has("during")) {
    return;
  }
  std::vector<YamlReader> ends = item.items("during");
  if (ends.size() != 2) {
    item.fault("during", "is not a beginning and an end, as [2s, 5s]");
    return;
  }
  const auto from = instants.read(ends[0]);
  const auto until = instants.read(ends[1]);
  if (from && until && *from >= *until) {
    item.fault("during", "ends before it begins");
  }
  expectation.from = from.value_or(Nanoseconds{0});
  expectation.until = until.value_or(Nanoseconds{0});
}

}  // namespace

Expectation read_expectation(YamlReader& item, const ScenarioInstants& instants, const ScenarioSetting& setting) {
  using Kind = Expectation::Kind;
  static constexpr std::pair<const char*, Kind> kKinds[] = {
      {"loss", Kind::kLoss},   {"rate", Kind::kRate},   {"reachable", Kind::kReachable},
      {"drops", Kind::kDrops}, {"delay", Kind::kDelay}, {"handover", Kind::kHandover}};
  Expectation expectation{.line = item.line()};
  int kinds = 0;
  for (const auto& [key, kind] : kKinds) {
    if (item.has(key)) {
      ++kinds;
      expectation.kind = kind;
    }
  }
  expectation.links = {read_robot(item, "from", setting.robots), read_robot(item, "to", setting.robots)};
  read_during(item, instants, expectation);
  if (kinds != 1) {
    item.fault("expects not just one thing; give one of loss, rate, delay, reachable, drops, handover");
    return expectation;
  }
  switch (expectation.kind) {
    case Kind::kLoss:
      read_bounds<Probability>(item, "loss", expectation);
      break;
    case Kind::kRate:
      read_bounds<BitsPerSecond>(item, "rate", expectation);
      break;
    case Kind::kReachable:
      read_reach(item, expectation);
      break;
    case Kind::kDrops:
      read_drops(item, expectation);
      break;
    case Kind::kDelay:
      read_delay(item, setting, expectation);
      break;
    case Kind::kHandover:
      read_handover(item, setting, expectation);
      break;
  }
  return expectation;
}

}  // namespace hilgate
