// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "config/nearest.h"
#include "config/plain_text.h"
#include "config/radio_name.h"
#include "config/range.h"
#include "gateway/configuration/scenario/scenario_reader.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr Range<Nanoseconds> kSpan{1ns, ScenarioInstants::kLatest, "1ns to 8760h"};
constexpr Nanoseconds kUsualRampStep = 100ms;
constexpr std::int64_t kMostTimes = 1'000'000;

std::uint64_t times_within(YamlReader& item, Nanoseconds length, Nanoseconds period) {
  const std::int64_t times = std::max(length, 0ns) / period + 1;
  if (times > kMostTimes) {
    item.fault(fmt::format("happens {} times; allowed: up to {}", times, kMostTimes));
  }
  return static_cast<std::uint64_t>(std::min(times, kMostTimes));
}

// When: `at`, or `every` with `from` and `until`.
void read_times(YamlReader& item, const ScenarioInstants& instants, std::optional<Nanoseconds> end,
                ScenarioStep& step) {
  if (item.has("at") == item.has("every")) {
    item.fault("needs either `at` or `every`");
  }
  if (item.has("at")) {
    step.at = instants.read(item, "at").value_or(0ns);
    return;
  }
  step.at = instants.read(item, "from").value_or(0ns);
  const auto period = read_within(item, "every", kSpan);
  const auto until = item.has("until") ? instants.read(item, "until") : end;
  if (!item.has("until") && !end) {
    item.fault("every", "has no end; give `until` here, or `end` for the scenario");
  }
  if (until && *until < step.at) {
    item.fault("every", "ends before it begins");
  }
  if (period && until) {
    step.period = *period;
    step.times = times_within(item, *until - step.at, *period);
  }
}

void read_values(YamlReader& item, ScenarioStep& step) {
  for (auto& [key, value] : item.entries("set")) {
    step.set.push_back(fmt::format("{}={}", key, value.flow_text()));
  }
  for (const std::string& key : item.list<std::string>("remove")) {
    step.set.push_back(key + "=");
  }
}

// What is not a robot or one of `others`.
bool is_known(YamlReader& map, std::string_view key, const std::string& name, const ScenarioSetting& setting,
              std::span<const std::string> others) {
  std::vector<std::string> known = setting.robots;
  known.insert(known.end(), others.begin(), others.end());
  if (std::ranges::find(known, name) != known.end()) {
    return true;
  }
  map.fault(key, fmt::format("'{}' is not known; {}", shown(name), hint_for(name, known)));
  return false;
}

// As an impairment that lasts until it is taken back; its longest is a day.
void read_outage(YamlReader& item, const ScenarioSetting& setting, ScenarioStep& step) {
  YamlReader outage = item.child("outage");
  const std::vector<std::string> all = {"*"};
  const auto end = [&](std::string_view key) {
    const auto name = outage.optional<std::string>(key).value_or("*");
    is_known(outage, key, name, setting, all);
    return name;
  };
  const std::string from = end("from");
  const std::string to = end("to");
  step.set.push_back(fmt::format("links.{}.{}.outages=[{{at: 0s, for: 24h}}]", from, to));
  constexpr Range<Nanoseconds> kDay{1ns, 24h, "1ns to 24h"};
  step.lasts = read_within(item, "for", kDay);
}

// Robots and access points that go and come again.
void read_presence(YamlReader& item, const ScenarioSetting& setting, ScenarioStep& step) {
  for (const std::string_view key : {"leave", "join"}) {
    for (const std::string& name : item.list<std::string>(key)) {
      if (!is_known(item, key, name, setting, setting.access_points)) {
        continue;
      }
      const bool robot = std::ranges::find(setting.robots, name) != setting.robots.end();
      const std::string path = robot ? robot_key(name) : "netsim.access_points." + name;
      key == "leave" ? step.set.push_back(path + "=") : step.reset.push_back(path);
    }
  }
  if (item.has("leave")) {
    step.lasts = read_within(item, "for", kSpan);
  }
}

// `for` is how long it takes, and `step` how often the values change meanwhile.
void read_ramps(YamlReader& item, ScenarioStep& step) {
  const auto length = require_within(item, "for", kSpan);
  step.period = read_within(item, "step", kSpan).value_or(std::min(kUsualRampStep, length.value_or(kUsualRampStep)));
  if (!item.has("at")) {
    item.fault("ramp", "goes with `at`, and not with `every`");
  }
  step.times = times_within(item, length.value_or(0ns), step.period);
  if (length && *length % step.period != 0ns) {
    item.fault("step", "does not divide `for`, the length of the ramp");
  }
  for (auto& [key, ends] : item.entries("ramp")) {
    const auto from = ends.required<std::string>("from");
    const auto to = ends.required<std::string>("to");
    if (!ends.has("from") || !ends.has("to")) {
      continue;
    }
    try {
      step.ramps.push_back(Ramp::between(key, from, to));
    } catch (const std::invalid_argument& error) {
      ends.fault(error.what());
    }
  }
}

}  // namespace

ScenarioStep read_step(YamlReader& item, const ScenarioInstants& instants, const ScenarioSetting& setting,
                       std::optional<Nanoseconds> end) {
  ScenarioStep step{.line = item.line()};
  read_times(item, instants, end, step);
  step.mark = item.optional<std::string>("mark").value_or("");
  const bool sets = item.has("set") || item.has("remove");
  const bool comes = item.has("leave") || item.has("join");
  const bool breaks = item.has("outage");
  const bool ramps = item.has("ramp");
  const bool pauses = item.has("pause");
  if (sets + comes + breaks + ramps + pauses > 1) {
    item.fault(
        "does several things; give `set` and `remove`, `leave` and `join`, `outage`, `ramp`, and `pause` a step each");
  }
  if (sets) {
    read_values(item, step);
    step.lasts = read_within(item, "for", kSpan);
  } else if (comes) {
    read_presence(item, setting, step);
  } else if (breaks) {
    read_outage(item, setting, step);
  } else if (ramps) {
    read_ramps(item, step);
  } else if (pauses) {
    step.pause = read_within(item, "pause", kSpan);
    if (!setting.can_pause) {
      item.fault("pause", "stops simulation time, which can be stopped with `pace: dilate` only");
    }
  } else if (step.mark.empty()) {
    item.fault("does nothing; give `set`, `remove`, `leave`, `join`, `outage`, `ramp`, `pause` or `mark`");
  }
  if (step.times > 1 && step.lasts && *step.lasts >= step.period) {
    item.fault("for", "is not shorter than `every`, so the keys would never be as they were");
  }
  return step;
}

}  // namespace hilgate
