// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "clock/time.h"
#include "path/site_report.h"

namespace hilgate {

/// When simulation time was 0 at another gateway; nothing where it has not begun, or the gateway is not alike: its
/// files, its version and its clock may be others.
std::optional<WallTime> zero_at(const PeerReport& peer);
/// The zeros of all other gateways.
std::vector<WallTime> zeros_of(const SiteReport& site);

/// Chooses the simulation of gateways that began apart, because they did not receive one another: the one that most of
/// them have, of as many the older one. Gateways that receive the same choose the same, without negotiation.
///
/// A gateway whose clock was stepped has its zero elsewhere than before. It announces none, so that its clock moves no
/// other gateway, and uses the others', or its own again where no other gateway has one.
class ZeroChoice {
 public:
  /// A difference counts after that time: gateways that meet do not all receive one another at once.
  static constexpr Nanoseconds kSettle = std::chrono::seconds{1};

  /// Zeros that differ by at most `within` are the same.
  explicit ZeroChoice(Nanoseconds within) : within_(within) {}

  /// To be called each 100 ms or so. `own`: nothing while simulation time has not begun here. `said`: zeros_of() the
  /// others.
  void look(HostTime now, std::optional<WallTime> own, std::vector<WallTime> said);

  /// The own zero, as announced to the others.
  [[nodiscard]] std::optional<WallTime> told() const { return told_; }
  /// By which zero this gateway has to begin anew; nothing: by none.
  [[nodiscard]] std::optional<WallTime> wanted() const { return wanted_; }
  [[nodiscard]] bool same(WallTime one, WallTime other) const {
    return one < other ? other - one <= within_ : one - other <= within_;
  }

 private:
  [[nodiscard]] std::optional<WallTime> of_most(std::vector<WallTime> zeros) const;
  [[nodiscard]] bool is_settled(HostTime now, std::optional<WallTime> best);

  Nanoseconds within_;
  std::optional<WallTime> kept_;  // the own one, as the others know it
  std::optional<WallTime> told_;
  std::optional<WallTime> wanted_;
  std::optional<WallTime> best_;   // which is another than the own one,
  std::optional<HostTime> since_;  // since then
};

}  // namespace hilgate
