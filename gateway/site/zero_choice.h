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
/// At all of them.
std::vector<WallTime> zeros_of(const SiteReport& site);

/// Which simulation gateways go by that began apart, because they did not hear one another: the one that most of them
/// have, of as many the older one. All who hear the same come to the same, without a word.
///
/// A gateway whose clock was stepped has its zero elsewhere than before. It speaks of none, so that its clock moves
/// nobody else, and goes by the others', or by its own again where nobody else has one.
class ZeroChoice {
 public:
  /// What differs is believed after that time: those who come together do not all hear one another at once.
  static constexpr Nanoseconds kSettle = std::chrono::seconds{1};

  /// `within`: so much nearer to one another zeros are the same.
  explicit ZeroChoice(Nanoseconds within) : within_(within) {}

  /// To be called each 100 ms or so. `own`: nothing while simulation time has not begun here. `said`: zeros_of() the
  /// others.
  void look(HostTime now, std::optional<WallTime> own, std::vector<WallTime> said);

  /// What the others are to hear of the own zero.
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
