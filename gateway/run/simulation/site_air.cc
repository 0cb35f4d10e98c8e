// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/simulation/site_air.h"

#include <utility>

#include "netsim_link/link_state.h"
#include "physics_link/scene.h"

namespace hilgate {

std::optional<RunBegin> compute_past(const SitePast& past, Simulation& simulation) {
  RunBegin begin{.site_zero = past.zero};
  if (past.is_told) {
    begin.window = static_cast<std::uint64_t>((past.until() - past.zero) / past.window) + 1;
    begin.at += past.window * static_cast<std::int64_t>(begin.window);
    return begin;
  }
  Scene scene;
  LinkTable table;
  table.links.resize(past.ends * past.ends);
  for (;;) {
    const SimTime until{past.until() - past.zero};
    if (begin.at >= until) {
      return begin;
    }
    if (!past.goes_on(begin.window, begin.window + static_cast<std::uint64_t>((until - begin.at) / past.window) + 1)) {
      return std::nullopt;
    }
    simulation.physics->scene_at(begin.at, scene);
    table.at = begin.at;
    simulation.netsim->link_states(scene, table);
    begin.at += past.window;
    ++begin.window;
  }
}

namespace {

std::uint64_t lag_of(const Configuration& configuration) {
  const Nanoseconds lag = configuration.site->air_lag;
  return static_cast<std::uint64_t>((lag + configuration.window - Nanoseconds{1}) / configuration.window);
}

}  // namespace

bool has_air_author(const Configuration& configuration) {
  return own_gateway(configuration) != nullptr && is_air_external(configuration);
}

SiteAir::SiteAir(const Configuration& configuration, std::function<bool(const std::string&)> say)
    : configuration_(configuration),
      say_(std::move(say)),
      lag_(lag_of(configuration)),
      authors_(configuration.site->gateways.size()),
      texts_(configuration.site->gateways.size(), AirTexts(link_ends(configuration))) {}

// By the robots' own telemetry all gateways compute the same links: those after the author need not publish them.
bool SiteAir::is_said_by_another() const {
  const bool all_may = configuration_.vehicles && external_netsim(configuration_) == nullptr;
  return all_may && authors_.author() && *authors_.author() < *configuration_.site->own;
}

void SiteAir::made(const LinkTable& table, std::uint64_t window) {
  if (is_said_by_another()) {
    return;
  }
  LinkStateUpdate word = LinkStateUpdate::of(table, window + lag_);
  bool said = true;
  for (const std::string& text : air_texts(word)) {
    said = said && say_(text);
  }
  unsaid_ += said ? 0 : 1;
  authors_.note(*configuration_.site->own, std::move(word));
}

void SiteAir::take(std::uint32_t gateway, std::string_view text) {
  if (auto word = texts_[gateway].take(text)) {
    authors_.note(gateway, std::move(*word));
  }
}

bool SiteAir::begin(std::uint64_t window, LinkTable& table) {
  const LinkStateUpdate* word = authors_.begin(window);
  if (word == nullptr) {
    return false;
  }
  if (word->links.empty() && external_netsim(configuration_) != nullptr) {
    return false;  // its simulator answers, and has published no links
  }
  const std::size_t ends = link_ends(configuration_);
  table.links.resize(ends * ends);
  word->write_to(table);
  table.window = window;
  ever_ = true;
  return true;
}

std::optional<std::string> SiteAir::silence() const {
  if (authors_.author()) {
    return std::nullopt;
  }
  if (judged_by_packet(configuration_)) {
    return "site: no gateway has a network simulator that answers; frames are dropped as verdict_missing";
  }
  return ever_ ? "site: no gateway has a simulator that answers; the last link states stay in force"
               : "site: no gateway has had a simulator that answers yet: links are as at the start";
}

SiteAirStatus SiteAir::status() const {
  const auto& gateways = configuration_.site->gateways;
  SiteAirStatus status{.decides = judged_by_packet(configuration_) ? "frames" : "links",
                       .author = {},
                       .authors = {},
                       .lag_windows = lag_,
                       .changes = authors_.changes(),
                       .without_word = authors_.without_word(),
                       .late = authors_.late(),
                       .unsaid = unsaid_,
                       .refused = 0};
  for (std::uint32_t i = 0; i < gateways.size(); ++i) {
    status.refused += texts_[i].refused();
    if (authors_.speaks(i)) {
      status.authors.push_back(gateways[i].name);
    }
  }
  if (const auto author = authors_.author()) {
    status.author.value = gateways[*author].name;
  }
  return status;
}

}  // namespace hilgate
