// SPDX-License-Identifier: Apache-2.0
// ALOHA (Abramson 1970): stations transmit as soon as they have a frame and the duty cycle allows it, without
// listening.
#pragma once

#include "path/air/overlapping_access.h"

namespace hilgate {

class Aloha final : public OverlappingAccess {
 public:
  using OverlappingAccess::OverlappingAccess;

 private:
  void carrier(std::uint32_t /*robot*/, const Transmitter& /*exchange_of*/, HostTime /*at*/,
               HostTime /*until*/) override {}
  void reserve_medium(const Transmitter& /*exchange_of*/, std::uint32_t /*receiver*/) override {}
};

}  // namespace hilgate
