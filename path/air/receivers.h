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
#include "path/air/transmitter.h"
#include "path/air/transmitters.h"

namespace hilgate {

/// Of one domain. Does not allocate.
class Receivers {
 public:
  /// `transmitters` must outlive it.
  explicit Receivers(Transmitters& transmitters) : transmitters_(transmitters) {}

  /// The transmissions of `starting` begin at `at`, to Transmitter::on_air_until; those of other members that transmit
  /// go on. All are indices of transmitters.
  void begin(std::span<const std::uint32_t> members, std::span<const std::uint32_t> starting, HostTime at);
  /// Makes room for so many members.
  void reserve(std::size_t most) { on_air_.reserve(most); }
  /// `robot` receives what `from` sends from `since` on, whatever it followed before.
  void follow(std::uint32_t robot, const Transmitter& from, HostTime since);
  /// Whether `robot` follows the frame of `from` that began at `since`. Robots without a transmitter do.
  [[nodiscard]] bool follows(std::uint32_t robot, std::uint32_t from, HostTime since) const;

 private:
  [[nodiscard]] bool is_on_air(const Transmitter& receiver) const;
  void hear(Transmitter& receiver, std::span<const std::uint32_t> starting, HostTime at);
  [[nodiscard]] const Transmitter* strongest(std::uint32_t robot, std::span<const std::uint32_t> starting) const;
  [[nodiscard]] bool stands_out(const Transmitter& frame, const Transmitter& receiver, HostTime at) const;

  Transmitters& transmitters_;
  std::vector<std::uint32_t> on_air_;  // in begin(): members that transmit
};

}  // namespace hilgate
