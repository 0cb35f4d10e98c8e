// SPDX-License-Identifier: Apache-2.0
// Time on the air of radios that are no Wi-Fi.
#pragma once

#include <cstdint>

#include "clock/time.h"
#include "config/units.h"

namespace hilgate {

/// LoRa with explicit header and CRC; coding 1 is 4/5, 4 is 4/8. Low-data-rate optimisation above 16 ms a symbol.
struct LoraFraming {
  int spreading = 7;
  Hertz bandwidth{125e3};
  int coding = 1;
  int preamble_symbols = 8;
  bool crc = true;
  bool implicit_header = false;

  [[nodiscard]] double symbol_s() const;
  [[nodiscard]] double time_on_air_s(std::uint32_t payload_bytes) const;
  [[nodiscard]] double bit_rate_bps() const;
};

/// 802.15.4 at 250 kbit/s: a frame of `psdu_bytes` and the whole exchange with the mean first back-off.
double ieee802154_ppdu_us(std::uint32_t psdu_bytes);
double ieee802154_exchange_us(std::uint32_t psdu_bytes, int backoff_exponent, bool acknowledged);

/// The time division of SiK's firmware, in its own 16 us ticks and integer arithmetic.
struct SikRound {
  explicit SikRound(unsigned air_rate_kbps);
  std::uint64_t ticks_per_byte;
  std::uint64_t latency;
  std::uint64_t silence;
  std::uint64_t window;
  std::uint64_t round;

  static constexpr double kTickUs = 16;
  /// Of one direction when its window is full and not capped.
  [[nodiscard]] double throughput_bps() const;
};

}  // namespace hilgate
