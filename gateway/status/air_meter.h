// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "clock/time.h"
#include "frame/counters.h"

namespace hilgate {

/// How much of the last second each medium was in use: samples of the counters, kept for as long. Control thread only.
class AirMeter {
 public:
  static constexpr std::size_t kSamples = 11;  // ten intervals of 100 ms

  void sample(HostTime at, std::vector<AirUse> uses);
  /// The media are others now.
  void restart() { count_ = 0; }
  /// Share of the time between the oldest sample and the newest that a medium was in use, 1 for all of it; 0 with less
  /// than two samples. More than 1 where transmissions overlap, or where a long one has just begun.
  [[nodiscard]] double last(std::size_t domain) const;
  /// Of the newest sample; nothing yet: zeros.
  [[nodiscard]] AirUse total(std::size_t domain) const;

 private:
  struct Sample {
    HostTime at{};
    std::vector<AirUse> uses;
  };
  [[nodiscard]] const Sample& newest() const { return samples_[(count_ - 1) % kSamples]; }

  std::array<Sample, kSamples> samples_;  // of the last kSamples, by their number
  std::size_t count_ = 0;
};

}  // namespace hilgate
