// SPDX-License-Identifier: Apache-2.0
// The transmission modes of 802.11 OFDM radios and what a frame costs in them.
//
// PPDU durations: IEEE 802.11-2020, 17.4.3 (legacy), 19.4.3 (HT, mixed format), 21.4.3 (VHT), and
// IEEE 802.11ax-2021, 27.3.4 (HE, single user). In the 2.4 GHz band an
// OFDM PPDU is followed by a signal extension (18.5.3), which the mode's fixed part includes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "rf_profiles/phy/phy_mode.h"

namespace hilgate {

enum class WifiFormat : std::uint8_t { kLegacy, kHt, kVht, kHe };

/// Code rate numerator/denominator and points of the constellation (2 is BPSK).
struct WifiCoding {
  unsigned points = 2;
  unsigned numerator = 1;
  unsigned denominator = 2;
};

struct WifiMode {
  std::string name;  // "ofdm6" ... "ofdm54", "mcs0" ... "mcs11"
  WifiFormat format = WifiFormat::kLegacy;
  WifiCoding coding;
  unsigned data_bits_per_symbol = 24;
};

/// What is common to the modes of one radio.
struct WifiFraming {
  unsigned width_mhz = 20;  // 20, 40 (HT, VHT, HE), 80 (VHT, HE)
  unsigned streams = 1;     // 1 to 4
  Nanoseconds guard{800};   // 800 or 400 ns; of HE 800, 1600 or 3200 ns
  Nanoseconds sifs{16'000};
  Nanoseconds signal_extension{0};
};

/// The mode of that name: `ofdmR` with R in 6, 9, 12, 18, 24, 36, 48, 54 Mbit/s is legacy; `mcsN` is HT (0 to 7),
/// VHT (0 to 9) or HE (0 to 11) by `format`. Throws std::invalid_argument naming what is allowed.
WifiMode wifi_mode(std::string_view name, WifiFormat format, const WifiFraming& framing);

/// Names that wifi_mode() takes for a format.
std::vector<std::string> wifi_mode_names(WifiFormat format);

/// The coding in the table of HE MCSs, 0 to 11, which begins as those of HT and VHT; -1 for BPSK 3/4, which only legacy
/// OFDM has (9 Mbit/s).
int mcs_of(const WifiCoding& coding);

/// The rate that stands for a modulation and coding when an answer's rate is chosen, whatever the width, the streams
/// and the guard interval, Mbit/s (IEEE 802.11-2020, 10.6.11: non-HT reference rate).
unsigned non_ht_reference_mbps(const WifiCoding& coding);

/// The mode of what answers a frame of that modulation and coding, and of what announces it: the highest of 6, 12 and
/// 24 Mbit/s that is not above its non-HT reference rate (IEEE 802.11-2020, 10.6.6.5).
WifiMode control_mode(const WifiCoding& data);

/// How a unicast frame is sent in a mode: overhead of MAC header (24 bytes, 26 with QoS for HT, VHT and HE), LLC/SNAP
/// (8) and FCS (4) instead of the 14 bytes of Ethernet header; acknowledged in its control_mode().
PhyMode wifi_phy_mode(const WifiMode& mode, const WifiFraming& framing);

}  // namespace hilgate
