// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/site/air_authors.h"
#include "gateway/status/model/site_status.h"

namespace hilgate {

/// The windows that a site has had before a gateway's first one.
struct SitePast {
  WallTime zero{};  // of the site
  Nanoseconds window{0};
  bool is_told = false;                                                // by simulators elsewhere: nothing is computed
  std::size_t ends = 0;                                                // link_ends()
  std::function<WallTime()> until;                                     // called once a window: time advances meanwhile
  std::function<bool(std::uint64_t done, std::uint64_t all)> goes_on;  // windows; false: give it up
};

/// Takes a simulation that has seen no window through these, so that tracks, shadowing and fading are where the others
/// have them; returns where it begins. Nothing: given up. Any thread.
std::optional<RunBegin> compute_past(const SitePast& past, Simulation& simulation);

/// The air of a site whose simulators are programs of their own: gateways that have one publish its link states, and
/// all use those of the author (AirAuthors), from the same window on. Where a network simulator decides each frame, an
/// update means that it has answered, and frames are decided at the author. Control thread.
class SiteAir {
 public:
  /// `say` sends a text to all others; false: it does not go.
  SiteAir(const Configuration& configuration, std::function<bool(const std::string&)> say);

  /// This gateway's simulator has published the table in this window.
  void made(const LinkTable& table, std::uint64_t window);
  /// A text of a gateway that is here.
  void take(std::uint32_t gateway, std::string_view text);
  /// A window begins: the table that holds from here on, where it is another; its links are of as many ends as ours.
  bool begin(std::uint64_t window, LinkTable& table);
  /// Whose simulator counts; nothing: none answers.
  [[nodiscard]] std::optional<std::uint32_t> author() const { return authors_.author(); }
  /// The simulation is another.
  void forget() { authors_.forget(); }

  /// From a simulator's answer until it counts, windows.
  [[nodiscard]] std::uint64_t lag() const { return lag_; }
  /// Whose link states count.
  [[nodiscard]] SiteAirStatus status() const;
  /// The fault to report while no gateway publishes link states; nothing while one does.
  [[nodiscard]] std::optional<std::string> silence() const;

 private:
  [[nodiscard]] bool is_said_by_another() const;

  const Configuration& configuration_;
  std::function<bool(const std::string&)> say_;
  std::uint64_t lag_;
  AirAuthors authors_;
  std::vector<AirTexts> texts_;  // by gateway
  bool ever_ = false;            // there was a table
  std::uint64_t unsaid_ = 0;
};

/// Whether the air of a site comes from simulators that are programs of their own.
bool has_air_author(const Configuration& configuration);

}  // namespace hilgate
