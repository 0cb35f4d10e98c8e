// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/phy/wifi_mode.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <span>
#include <stdexcept>

#include "config/plain_text.h"

namespace hilgate {
namespace {

struct LegacyRate {
  unsigned mbps;
  WifiCoding coding;
};
constexpr LegacyRate kLegacyRates[] = {{6, {2, 1, 2}},   {9, {2, 3, 4}},   {12, {4, 1, 2}},  {18, {4, 3, 4}},
                                       {24, {16, 1, 2}}, {36, {16, 3, 4}}, {48, {64, 2, 3}}, {54, {64, 3, 4}}};
constexpr WifiCoding kMcsCodings[] = {{2, 1, 2},  {4, 1, 2},  {4, 3, 4},   {16, 1, 2},  {16, 3, 4},   {64, 2, 3},
                                      {64, 3, 4}, {64, 5, 6}, {256, 3, 4}, {256, 5, 6}, {1024, 3, 4}, {1024, 5, 6}};
constexpr std::size_t kHtMcsCount = 8;
constexpr std::size_t kVhtMcsCount = 10;

constexpr unsigned kLegacyDataCarriers = 48;
constexpr std::int32_t kServiceBits = 16 + 6;  // SERVICE and tail of one encoder
constexpr std::uint32_t kAckBytes = 14;
constexpr std::uint32_t kRtsBytes = 20;       // 9.3.1.2
constexpr std::uint32_t kBlockAckBytes = 32;  // compressed bitmap of 64 (IEEE 802.11-2020, 9.3.1.8)
constexpr Nanoseconds kLegacySymbol{4'000};
constexpr Nanoseconds kLegacyPreamble{20'000};
constexpr Nanoseconds kHeMiddleGuard{1'600};

unsigned data_carriers(WifiFormat format, unsigned width_mhz) {
  if (format == WifiFormat::kLegacy) {
    return kLegacyDataCarriers;
  }
  if (format == WifiFormat::kHe) {  // one resource unit of 242, 484 or 996 tones
    return width_mhz == 20 ? 234 : width_mhz == 40 ? 468 : 980;
  }
  return width_mhz == 20 ? 52 : width_mhz == 40 ? 108 : 234;
}

unsigned data_bits(const WifiCoding& coding, unsigned carriers, unsigned streams) {
  const auto bits_per_carrier = static_cast<unsigned>(std::countr_zero(coding.points));
  return carriers * streams * bits_per_carrier * coding.numerator / coding.denominator;
}

/// Everything in front of the first data symbol.
Nanoseconds preamble(WifiFormat format, const WifiFraming& framing) {
  const unsigned fields = framing.streams == 3 ? 4 : framing.streams;
  const Nanoseconds training = Nanoseconds{4'000} * fields;  // HT-LTF or VHT-LTF
  switch (format) {
    case WifiFormat::kHt:
      return Nanoseconds{32'000} + training;
    case WifiFormat::kVht:
      return Nanoseconds{36'000} + training;
    case WifiFormat::kHe:  // legacy preamble, RL-SIG, HE-SIG-A, HE-STF; HE-LTFs of 6.4 us, 4x of 12.8 us
      return Nanoseconds{36'000} +
             (Nanoseconds{framing.guard > kHeMiddleGuard ? 12'800 : 6'400} + framing.guard) * fields;
    default:
      return kLegacyPreamble;
  }
}

std::uint32_t control_mbps(const WifiCoding& data) {
  const unsigned reference = non_ht_reference_mbps(data);
  return reference >= 24 ? 24 : reference >= 12 ? 12 : 6;
}

constexpr std::uint32_t control_bits(std::uint32_t bytes) {
  return static_cast<std::uint32_t>(kServiceBits) + 8 * bytes;
}

Nanoseconds control_air_time(const WifiCoding& data, std::uint32_t bytes) {
  const std::uint32_t bits_per_symbol = 4 * control_mbps(data);
  return kLegacyPreamble + kLegacySymbol * ((control_bits(bytes) + bits_per_symbol - 1) / bits_per_symbol);
}

std::span<const WifiCoding> mcs_codings(WifiFormat format) {
  return {kMcsCodings, format == WifiFormat::kHt    ? kHtMcsCount
                       : format == WifiFormat::kVht ? kVhtMcsCount
                                                    : std::size(kMcsCodings)};
}

}  // namespace

std::vector<std::string> wifi_mode_names(WifiFormat format) {
  std::vector<std::string> names;
  if (format == WifiFormat::kLegacy) {
    for (const LegacyRate& rate : kLegacyRates) {
      names.push_back(fmt::format("ofdm{}", rate.mbps));
    }
    return names;
  }
  for (std::size_t mcs = 0; mcs < mcs_codings(format).size(); ++mcs) {
    names.push_back(fmt::format("mcs{}", mcs));
  }
  return names;
}

WifiMode wifi_mode(std::string_view name, WifiFormat format, const WifiFraming& framing) {
  const std::vector<std::string> legacy = wifi_mode_names(WifiFormat::kLegacy);
  if (const auto at = std::find(legacy.begin(), legacy.end(), name); at != legacy.end()) {
    const WifiCoding coding = kLegacyRates[at - legacy.begin()].coding;
    return {*at, WifiFormat::kLegacy, coding, data_bits(coding, kLegacyDataCarriers, 1)};
  }
  const std::vector<std::string> names = wifi_mode_names(format);
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) {
    throw std::invalid_argument(
        fmt::format("'{}' is not a mode of this format; allowed: {}{}{}", shown(name), fmt::join(legacy, ", "),
                    format == WifiFormat::kLegacy ? "" : ", ",
                    format == WifiFormat::kLegacy ? "" : fmt::format("{}", fmt::join(names, ", "))));
  }
  const WifiCoding coding = kMcsCodings[at - names.begin()];
  return {*at, format, coding, data_bits(coding, data_carriers(format, framing.width_mhz), framing.streams)};
}

int mcs_of(const WifiCoding& coding) {
  const auto at = std::find_if(std::begin(kMcsCodings), std::end(kMcsCodings), [&](const WifiCoding& other) {
    return other.points == coding.points && other.numerator == coding.numerator &&
           other.denominator == coding.denominator;
  });
  return at == std::end(kMcsCodings) ? -1 : static_cast<int>(at - std::begin(kMcsCodings));
}

unsigned non_ht_reference_mbps(const WifiCoding& coding) {
  const LegacyRate* best = std::begin(kLegacyRates);
  for (const LegacyRate& rate : kLegacyRates) {
    const bool as_dense = rate.coding.points <= coding.points;
    const bool as_bold = rate.coding.points < coding.points ||
                         rate.coding.numerator * coding.denominator <= coding.numerator * rate.coding.denominator;
    best = as_dense && as_bold ? &rate : best;
  }
  return best->mbps;
}

WifiMode control_mode(const WifiCoding& data) {
  return wifi_mode(fmt::format("ofdm{}", control_mbps(data)), WifiFormat::kLegacy, {});
}

PhyMode wifi_phy_mode(const WifiMode& mode, const WifiFraming& framing) {
  const bool legacy = mode.format == WifiFormat::kLegacy;
  const Nanoseconds symbol =
      legacy ? kLegacySymbol : Nanoseconds{mode.format == WifiFormat::kHe ? 12'800 : 3'200} + framing.guard;
  const double rate_bps = mode.data_bits_per_symbol / (static_cast<double>(symbol.count()) * 1e-9);
  return {.preamble = preamble(mode.format, framing) + framing.signal_extension,
          .symbol = symbol,
          .bits_per_symbol = mode.data_bits_per_symbol,
          .service_bits = kServiceBits,
          .overhead_bytes = (legacy ? 36 : 38) - static_cast<std::int32_t>(PhyMode::kEthernetHeader),
          .fragment_bytes = 0,
          .ack = framing.sifs + control_air_time(mode.coding, kAckBytes) + framing.signal_extension,
          .rate_bps = rate_bps,
          .block_ack = framing.sifs + control_air_time(mode.coding, kBlockAckBytes) + framing.signal_extension,
          .ack_bits = control_bits(kAckBytes),
          .block_ack_bits = control_bits(kBlockAckBytes),
          .rts_bits = control_bits(kRtsBytes),
          .rts = control_air_time(mode.coding, kRtsBytes) + framing.signal_extension,
          .sifs = framing.sifs};
}

}  // namespace hilgate
