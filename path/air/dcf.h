// SPDX-License-Identifier: Apache-2.0
// CSMA/CA by the distributed coordination function of IEEE 802.11-2020, 10.3, where every station hears every other:
// DIFS, slotted backoff that freezes while the medium is busy, contention window doubled after a failed try,
// acknowledgement. Transmissions collide when two stations' backoffs end in the same slot.
#pragma once

#include <cstdint>
#include <vector>

#include "path/air/access_method.h"

namespace hilgate {

class Dcf final : public AccessMethod {
 public:
  using AccessMethod::AccessMethod;

  bool step(HostTime now) override;
  [[nodiscard]] HostTime next_event() const override;
  void reserve(std::size_t most) override;

 private:
  [[nodiscard]] HostTime access_of(const Transmitter& transmitter) const;
  void count_down_all(HostTime until);
  void collide(HostTime at);

  std::vector<std::uint32_t> winners_;  // of the slot at hand
};

}  // namespace hilgate
