// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "clock/time.h"
#include "netsim_link/air_plan.h"
#include "path/air/access_method.h"
#include "path/air/transmitter.h"

// Backoff slots (IEEE 802.11-2020, 10.3.4.3).

namespace hilgate {

/// Idle time in front of a station's transmissions and its slots: DIFS, or the AIFS of EDCA (10.23.2.4).
inline Nanoseconds ifs_of(const Transmitter& transmitter, const AirDomain& rules) {
  return rules.difs + transmitter.station.more_ifs;
}

/// Whole slots in an idle time; radios without slots have none to count, nor has a time below 0.
inline std::int64_t slots_in(Nanoseconds idle, const AirDomain& rules) {
  return rules.slot.count() > 0 && idle.count() > 0 ? idle / rules.slot : 0;
}

/// The backoff of a station with nothing to send reaches zero as well.
inline void count_down(Transmitter& transmitter, std::int64_t idle_slots) {
  transmitter.backing_off = transmitter.backing_off && idle_slots < transmitter.backoff;
  transmitter.backoff -= static_cast<std::uint32_t>(std::min<std::int64_t>(idle_slots, transmitter.backoff));
}

}  // namespace hilgate

// CSMA/CA by the distributed coordination function of IEEE 802.11-2020, 10.3, where every station hears every other:
// DIFS or AIFS, slotted backoff that freezes while the medium is busy, contention window doubled after a failed try,
// acknowledgement. Transmissions that begin in the same slot
// overlap; each receiver gets the strongest if it stands out (path/air/receivers.h).

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
  void note_others(Transmitter& transmitter);
  Nanoseconds end_overlapped(Transmitter& transmitter);
  AirOutcome outcome_of(Transmitter& transmitter);

  std::vector<std::uint32_t> winners_;  // of the slot at hand
};

}  // namespace hilgate
