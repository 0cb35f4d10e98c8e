// SPDX-License-Identifier: Apache-2.0
// The distributed coordination function where stations do not all hear one another (hidden stations). Each goes by the
// power it receives itself: it defers to senders above the carrier-sense threshold, decoded or not, and knows nothing
// of the others. Acknowledgements keep those away who hear the sender, by the frame's duration field, or the receiver;
// RTS and CTS those who hear either, until the acknowledgement is over (IEEE 802.11-2020, 10.3.2.4).
#pragma once

#include "path/air/overlapping_access.h"

namespace hilgate {

class OverlappingDcf final : public OverlappingAccess {
 public:
  using OverlappingAccess::OverlappingAccess;

 private:
  void carrier(std::uint32_t robot, const Transmitter& exchange_of, HostTime at, HostTime until) override;
  void reserve_medium(const Transmitter& exchange_of, std::uint32_t receiver) override;
  [[nodiscard]] bool hears(std::uint32_t from, std::uint32_t to) const;
};

}  // namespace hilgate
