// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/conditions/conditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace hilgate {

namespace {

// Cut links and lost frames stand behind errors and before warnings where one line is all there is room for.
constexpr std::array<std::string_view, 10> kErrors = {
    "simulator_missing", "simulator_silent",   "verdicts_missing", "position_missing", "port_unplugged", "wired",
    "gateway_apart",     "air_without_author", "output_stopped",   "released_early"};
constexpr std::array<std::string_view, 2> kNotes = {"outside_validation", "radios_deaf"};

}  // namespace

Severity severity_of(std::string_view name) {
  if (std::ranges::find(kErrors, name) != kErrors.end()) {
    return Severity::kError;
  }
  return std::ranges::find(kNotes, name) != kNotes.end() ? Severity::kNote : Severity::kWarning;
}

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      break;
  }
  return "note";
}

std::string name_list(const std::vector<std::string>& names, std::size_t others) {
  const std::size_t shown = std::min(names.size(), kNamesShown);
  const std::size_t more = names.size() - shown + others;
  const std::string text = fmt::format("{}", fmt::join(std::span(names).first(shown), ", "));
  return more > 0 ? fmt::format("{} and {} more", text, more) : text;
}

namespace {

void tell_begin(const Condition& condition) {
  if (condition.is_logged) {
    spdlog::warn("{}", condition.text);
  }
}

void tell_end(const Conditions::Standing& ended) {
  if (ended.condition.is_logged) {
    spdlog::info("over after {:.1f} s: {}", seconds_of(ended.seen - ended.since), ended.condition.text);
  }
}

}  // namespace

void Conditions::update(std::vector<Condition> found, HostTime now) {
  for (Condition& condition : found) {
    const auto known = std::find_if(standing_.begin(), standing_.end(), [&condition](const Standing& standing) {
      return standing.condition.name == condition.name && standing.condition.about == condition.about;
    });
    if (known == standing_.end()) {
      tell_begin(condition);
      news_(condition, true);
      standing_.push_back({.condition = std::move(condition), .since = now, .seen = now});
    } else {
      known->condition = std::move(condition);
      known->seen = now;
    }
  }
  std::erase_if(standing_, [this, now](const Standing& standing) {
    const bool is_over = now > standing.seen + standing.condition.lasts;
    if (is_over) {
      tell_end(standing);
      news_(standing.condition, false);
    }
    return is_over;
  });
}

}  // namespace hilgate
