// SPDX-License-Identifier: Apache-2.0
// Receivers: each is idle, transmits, or follows one frame, on whose preamble it has locked. Of frames that overlap a
// receiver gets one at most, and none of those that began while it was transmitting, a CTS and an acknowledgement
// included.
//
// An idle receiver locks on a frame that begins when the frame is reachable and above all others on the air by
// PhyMode::lock; of frames that begin together, on the strongest. It leaves the frame that it follows for one that
// begins later and is above all others by PhyMode::capture ("message in message", J. Lee et al., "An experimental study
// on the capture effect in 802.11a networks", WiNTECH 2007). What a locked receiver then gets of its frame is decided
// by the errors, or of LoRa by the rejection of the others (Transmitters::survives()).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clock/time.h"
#include "path/air/audiences.h"
#include "path/air/transmitter.h"
#include "path/air/transmitters.h"

namespace hilgate {

/// Of one domain. Does not allocate.
class Receivers {
 public:
  /// Both must outlive it.
  Receivers(Transmitters& transmitters, Audiences& audiences) : transmitters_(transmitters), audiences_(audiences) {}

  /// The transmissions of `starting` begin at `at`, to Transmitter::on_air_until; `on_air` are all members that
  /// transmit. All are indices of transmitters, increasing.
  void begin(std::span<const std::uint32_t> starting, std::span<const std::uint32_t> on_air, HostTime at);
  /// Makes room for so many members.
  void reserve(std::size_t most) {
    others_.reserve(most);
    needed_dbm_.reserve(most);
  }
  /// `robot` receives what `from` sends from `since` on, whatever it followed before.
  void follow(std::uint32_t robot, const Transmitter& from, HostTime since);
  /// Whether `robot` follows the frame of `from` that began at `since`. Robots without a transmitter do.
  [[nodiscard]] bool follows(std::uint32_t robot, std::uint32_t from, HostTime since) const;

 private:
  [[nodiscard]] bool is_on_air(const Transmitter& receiver, std::span<const std::uint32_t> on_air) const;
  [[nodiscard]] const Transmitter* strongest(std::uint32_t robot, std::span<const std::uint32_t> starting);
  void weigh(const Transmitter& frame, std::span<const std::uint32_t> on_air);
  [[nodiscard]] bool stands_out(const Transmitter& receiver, HostTime at);

  /// Of another transmission, next to the frame at hand.
  struct Other {
    const float* dbm;  // its powers, by receiver
    std::uint32_t robot;
    bool same_spreading;
    double lock_db;     // what the frame must be above it for a receiver that is idle
    double capture_db;  // ... or that follows a third
  };

  Transmitters& transmitters_;
  Audiences& audiences_;
  // The frame at hand and those that it overlaps with.
  const Transmitter* frame_ = nullptr;
  const float* frame_dbm_ = nullptr;
  double followed_db_ = 0;  // what it must be above the frame that a receiver follows
  std::vector<Other> others_;
  double all_alike_db_ = 0;         // what the sum of the others is above the strongest at most
  std::vector<double> needed_dbm_;  // in stands_out()
};

}  // namespace hilgate
