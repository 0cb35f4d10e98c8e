// SPDX-License-Identifier: Apache-2.0
// TDMA with a slot for each station, as SiK's firmware: each slot is followed by a guard time; a station starts a radio
// frame only if it ends within its slot, and a fragmented packet continues in later ones. The frame of slots begins at
// the epoch of the host's clock. No collisions.
//
// Where slots are yielded, as SiK's firmware does (tdm.c): a station that has nothing to send at the beginning of its
// slot, or no more of it, sends an empty radio frame and is silent until its next slot. The other station has the rest
// of the slot, until it has nothing to send either: what comes later waits for the next slot of one of the two. It is
// of two stations; with more, slots are not yielded.
//
// Where messages share radio frames (PhyMode::shared), one takes whole messages while they fit, as SiK's firmware does
// with MAVLink (packet.c, mavlink_frame); only a message that is longer than a radio frame is cut.
#pragma once

#include "path/air/access_method.h"

namespace hilgate {

class Tdma final : public AccessMethod {
 public:
  using AccessMethod::AccessMethod;

  bool step(HostTime now) override;
  [[nodiscard]] HostTime next_event() const override;

 private:
  /// When a station transmits, and the end of the slot that it does so in.
  struct Turn {
    HostTime at;
    HostTime until;
  };
  /// Of the frame at the head of members()[member].
  [[nodiscard]] Turn turn_of(std::size_t member) const;
  [[nodiscard]] Turn own_turn(std::size_t member, HostTime from, Nanoseconds length) const;
  [[nodiscard]] Turn next_turn(std::size_t member, HostTime from, Nanoseconds length) const;
  /// When `owner` yields its slot that begins then; HostTime::max() when it does not.
  [[nodiscard]] HostTime yields_at(const Transmitter& owner, HostTime slot) const;
  /// The head's next radio frame, or what shares one with it, and its end.
  void send(Transmitter& transmitter, const Turn& turn);
  void send_shared(Transmitter& transmitter, const Turn& turn);
  void end_shared(Transmitter& transmitter, HostTime end, std::uint64_t bits);
};

}  // namespace hilgate
