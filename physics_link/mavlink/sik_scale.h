// SPDX-License-Identifier: Apache-2.0
// Powers in RADIO_STATUS of a SiK radio: steps of 1/1.9 dB above -127 dBm (SiK firmware's documentation, "Using SiK
// radios": signal in dBm = RSSI / 1.9 - 127). MAVLink leaves the scale to the radio; others have their own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace hilgate::mavlink {

inline constexpr double kSikPerDb = 1.9;
inline constexpr double kSikZero = -127;  // dBm
inline constexpr std::uint8_t kUnknownLevel = 255;

/// A power in the scale, [0, 254].
inline std::uint8_t sik_level(double dbm) {
  const double level = std::round((dbm - kSikZero) * kSikPerDb);
  return static_cast<std::uint8_t>(std::clamp(std::isfinite(level) ? level : 0, 0.0, 254.0));
}

/// The power in dBm of a level in the scale other than kUnknownLevel.
inline double sik_dbm(std::uint8_t level) {
  return level / kSikPerDb + kSikZero;
}

}  // namespace hilgate::mavlink
