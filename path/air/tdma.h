// SPDX-License-Identifier: Apache-2.0
// TDMA with a slot for each station, as SiK's firmware: behind each slot is a guard time; a station
// starts a radio frame only if it ends within its slot, and a fragmented packet goes on in later ones. The frame of
// slots begins at the epoch of the host's clock. No collisions.
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
  /// Of the frame at the head of members()[member].
  [[nodiscard]] HostTime access_of(std::size_t member) const;
  /// A shared radio frame of members()[member], and its end.
  void send_shared(std::size_t member, HostTime at);
  void end_shared(Transmitter& transmitter, HostTime end, std::uint64_t bits);
};

}  // namespace hilgate
