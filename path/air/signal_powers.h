// SPDX-License-Identifier: Apache-2.0
// Powers between stations side by side in memory: an event of a medium asks for those of a few senders at many
// receivers, and a link table has them far apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "path/fate/air_signals.h"

namespace hilgate {

/// By slot. A sender's powers are looked up when they are first asked for after signals have been set. Does not
/// allocate after construction.
class SignalPowers {
 public:
  /// Of so many slots.
  explicit SignalPowers(std::size_t slots) : slots_(slots), looked_up_(slots), dbm_(slots * slots) {}

  /// The powers of `signals` must not change before the next.
  void set(const AirSignals& signals) {
    signals_ = signals;
    ++changes_;
  }
  [[nodiscard]] const AirSignals& signals() const { return signals_; }
  /// How often signals have been set.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

  /// At each slot, of what `from` sends: AirSignals::power_dbm(). Requires one of the slots.
  const float* of(std::uint32_t from) {
    if (looked_up_[from] != changes_) {
      look_up(from);
    }
    return &dbm_[slots_ * from];
  }

 private:
  void look_up(std::uint32_t from) {
    for (std::uint32_t to = 0; to < slots_; ++to) {
      dbm_[slots_ * from + to] = signals_.power_dbm(from, to);
    }
    looked_up_[from] = changes_;
  }

  AirSignals signals_{};
  std::size_t slots_;
  std::uint64_t changes_ = 1;             // rows that were never looked up are out of date
  std::vector<std::uint64_t> looked_up_;  // by slot: changes_ when its row was looked up
  std::vector<float> dbm_;                // by slot: a row
};

}  // namespace hilgate
