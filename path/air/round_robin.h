// SPDX-License-Identifier: Apache-2.0
// Time division without slots: stations with something to send transmit one frame each in a circle, with the domain's
// idle time in front. No collisions.
#pragma once

#include <cstddef>

#include "path/air/access_method.h"

namespace hilgate {

class RoundRobin final : public AccessMethod {
 public:
  using AccessMethod::AccessMethod;

  bool step(HostTime now) override;
  [[nodiscard]] HostTime next_event() const override;

 private:
  [[nodiscard]] HostTime access_of(const Transmitter& transmitter) const;
  void member_entered(std::size_t member) override { next_ += member < next_ ? 1 : 0; }
  void member_left(std::size_t member) override { next_ -= member < next_ ? 1 : 0; }

  std::size_t next_ = 0;  // member that is first in the circle
};

}  // namespace hilgate
