// SPDX-License-Identifier: Apache-2.0
// TDMA with a slot for each station, as SiK's firmware (radio-models 9): behind each slot is a guard time; a station
// starts a radio frame only if it ends within its slot, and a fragmented packet goes on in later ones. The frame of
// slots begins at the epoch of the host's clock. No collisions.
#pragma once

#include "gateway/medium/access_method.h"

namespace hilgate {

class Tdma final : public AccessMethod {
 public:
  using AccessMethod::AccessMethod;

  bool step(HostTime now) override;
  [[nodiscard]] HostTime next_event() const override;

 private:
  /// Of the frame at the head of members()[member].
  [[nodiscard]] HostTime access_of(std::size_t member) const;
};

}  // namespace hilgate
