// SPDX-License-Identifier: Apache-2.0
// A radio's band where echoes of different delays meet: they add up at some frequencies and cancel at others.
#pragma once

#include <complex>
#include <cstddef>
#include <span>

#include "config/units.h"

namespace hilgate {

/// One of the waves that arrive.
struct Echo {
  std::complex<double> gain;  // of the amplitude, at the middle of the band
  double delay_s = 0;         // after the first, or after any common instant
};

/// Frequencies evenly over a band, four at least for each turn of the phase between the first echo and the last, as far
/// as kMost allows.
class Band {
 public:
  static constexpr std::size_t kLeast = 16;
  static constexpr std::size_t kMost = 256;

  Band(Hertz width, double longest_delay_s);

  [[nodiscard]] std::size_t frequencies() const { return frequencies_; }

  /// Writes the power at each frequency over the mean of the band, and returns that mean: 1 where the echoes' powers
  /// add up to 1 and their phases are random. Where nothing arrives, the gains are 1. `gains` has frequencies().
  double gains_of(std::span<const Echo> echoes, std::span<float> gains) const;

 private:
  double width_hz_;
  std::size_t frequencies_;
};

}  // namespace hilgate
