// SPDX-License-Identifier: Apache-2.0
// Unslotted CSMA-CA of IEEE 802.15.4-2020, 6.2.5.1: in front of every frame a random time of whole backoff periods,
// however idle the medium is, then a look at it (CCA). Idle, the station turns to transmit, and does not look again;
// busy, it draws from a longer window, a given number of times, and gives the frame up. Backoff continues while the
// medium is busy. A frame without acknowledgement begins anew. After a transmission the station pauses (IFS, 6.2.4).
//
// AirDomain: `slot` is the backoff period, cw_min 2^macMinBE - 1, cw_max 2^macMaxBE - 1.
#pragma once

#include "path/air/overlapping_access.h"

namespace hilgate {

class UnslottedCsma final : public OverlappingAccess {
 public:
  using OverlappingAccess::OverlappingAccess;

  void head_changed(Transmitter& transmitter) override;

 private:
  [[nodiscard]] HostTime access_of(const Transmitter& transmitter) const override;
  bool begins(Transmitter& transmitter, HostTime at) override;
  void ended(Transmitter& transmitter, bool succeeded) override;
  void note_beginning(const Transmitter& exchange_of, HostTime from, HostTime until,
                      std::vector<Overlap>& overlaps) const override;
  [[nodiscard]] bool is_busy(const Transmitter& transmitter, HostTime at) const;
  void give_up(Transmitter& transmitter, HostTime at);
  void start_over(Transmitter& transmitter);
};

}  // namespace hilgate
