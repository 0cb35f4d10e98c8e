// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"
#include "path/air/infrastructure.h"

namespace hilgate {

/// Media whose stations are at several gateways of a site, and which gateways may decide each. All gateways compute the
/// same, since they have the same file.
struct SharedMedia {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Medium {
    std::string name;
    /// Gateways that have stations of it: first the one with most, of equal ones that which is first in the file.
    std::vector<std::uint32_t> deciders;
  };
  std::vector<Medium> media{};
  std::vector<std::uint32_t> of_robot{};  // index in `media`, or kNone; robots past its end have none
  /// The decider is appointed by the run (MediaDeciders::appoint), instead of chosen by presence.
  bool appointed = false;

  [[nodiscard]] std::uint32_t of(std::uint32_t robot) const {
    return robot < of_robot.size() ? of_robot[robot] : kNone;
  }
  /// Whether frames of the robot may be decided there in addition to its own gateway.
  [[nodiscard]] bool may_decide(std::uint32_t gateway, std::uint32_t robot) const;
};

/// `gateway_of` by robot, whose indices are their slots.
SharedMedia shared_media(const MediaGroups& groups, const std::vector<std::uint32_t>& gateway_of);

/// A network simulator that decides each frame of so many robots, and may be at any of the gateways.
SharedMedia judged_media(std::size_t robots, std::size_t gateways);

/// The current decider of each shared medium: the first of its gateways that is here and has begun to decide. One that
/// was away begins at an instant that all know, so that they change together: after a start it announces that instant
/// (BeaconWords::decides_from); after its network was parted it is the whole second after the next one.
///
/// Belongs to the tunnel's thread, except for the results. Does not allocate after construction. Deciders of
/// `appointed` media are set by the control thread; until then they have none.
class MediaDeciders {
 public:
  /// `own`: this gateway, of so many. Until it has looked, it decides.
  MediaDeciders(SharedMedia media, std::uint32_t own, std::size_t gateways);

  /// What is known of another gateway; `decides_from` is what it has announced, nothing before.
  void see(std::uint32_t gateway, bool here, std::optional<WallTime> decides_from, WallTime now) noexcept;
  /// From when on this gateway does, once its simulation has begun at `now` or before. Later calls change nothing.
  void begin(WallTime now) noexcept;
  /// Chooses for `now`.
  void choose(WallTime now) noexcept;
  /// Of `appointed` media: this gateway decides them from now on; nothing: no gateway does. Control thread.
  void appoint(std::optional<std::uint32_t> gateway) noexcept;
  /// When the choice may change although nothing is received; nothing: never.
  [[nodiscard]] std::optional<WallTime> next() const noexcept { return next_; }
  /// What begin() has come to.
  [[nodiscard]] std::optional<WallTime> decides_from() const noexcept { return known_[own_].from; }

  [[nodiscard]] const SharedMedia& media() const noexcept { return media_; }
  /// SharedMedia::kNone: no gateway. Any thread.
  [[nodiscard]] std::uint32_t decider(std::uint32_t medium) const noexcept {
    return now_[medium].decider.load(std::memory_order_relaxed);
  }
  /// For the frame path: whether that is this gateway. Lives as long as this.
  [[nodiscard]] const std::atomic<bool>& decided_here(std::uint32_t medium) const noexcept { return now_[medium].here; }

 private:
  struct Gateway {
    bool here = false;
    std::optional<WallTime> from;  // its last announcement
    WallTime since{};              // what holds
  };
  struct Now {
    std::atomic<std::uint32_t> decider{0};
    std::atomic<bool> here{true};
  };
  void store(std::size_t medium, std::uint32_t gateway) noexcept;
  [[nodiscard]] std::uint32_t chosen(const SharedMedia::Medium& medium, WallTime now) const noexcept;

  const SharedMedia media_;
  const std::uint32_t own_;
  std::vector<Gateway> known_;  // by gateway
  std::unique_ptr<Now[]> now_;  // by medium
  std::optional<WallTime> next_;
};

}  // namespace hilgate
