// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/phy/serial_timing.h"

#include <algorithm>
#include <cmath>

namespace hilgate {
namespace {

constexpr double kSymbolUs = 32;  // two 802.15.4 symbols, one byte

}  // namespace

double LoraFraming::symbol_s() const {
  return std::ldexp(1.0, spreading) / bandwidth.value;
}

double LoraFraming::time_on_air_s(std::uint32_t payload_bytes) const {
  constexpr double kSlowSymbol = 16e-3;
  const int optimised = symbol_s() > kSlowSymbol ? 1 : 0;
  const double bits = 8.0 * payload_bytes - 4 * spreading + 28 + (crc ? 16 : 0) - (implicit_header ? 20 : 0);
  const double groups = std::ceil(bits / (4 * (spreading - 2 * optimised)));
  const double payload_symbols = 8 + std::max(groups * (coding + 4), 0.0);
  return (preamble_symbols + 4.25 + payload_symbols) * symbol_s();
}

double LoraFraming::bit_rate_bps() const {
  return spreading / symbol_s() * 4 / (4 + coding);
}

double ieee802154_ppdu_us(std::uint32_t psdu_bytes) {
  constexpr double kPreambleAndHeader = 6;
  return (kPreambleAndHeader + psdu_bytes) * kSymbolUs;
}

double ieee802154_exchange_us(std::uint32_t psdu_bytes, int backoff_exponent, bool acknowledged) {
  constexpr double kBackoffUnit = 320;
  constexpr double kCca = 128;
  constexpr double kTurnaround = 192;
  constexpr double kAck = 352;
  constexpr std::uint32_t kShortFrame = 18;  // up to this, the short interframe space
  const double space = psdu_bytes > kShortFrame ? 640 : 192;
  return (std::ldexp(1.0, backoff_exponent) - 1) / 2 * kBackoffUnit + kCca + kTurnaround +
         ieee802154_ppdu_us(psdu_bytes) + (acknowledged ? kTurnaround + kAck : 0) + space;
}

SikRound::SikRound(unsigned air_rate_kbps)
    : ticks_per_byte((8 + 8'000'000ULL / (1000ULL * air_rate_kbps)) / 16 + 1),
      latency(13 * ticks_per_byte + 13),
      silence(2 * latency),
      window(std::min<std::uint64_t>(3 * (latency + 250 * ticks_per_byte), 8191)),
      round(2 * (window + silence)) {}

double SikRound::throughput_bps() const {
  constexpr double kBitsPerWindow = 3.0 * 250 * 8;
  return kBitsPerWindow / (static_cast<double>(round) * kTickUs * 1e-6);
}

}  // namespace hilgate
