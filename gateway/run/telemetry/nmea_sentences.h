// SPDX-License-Identifier: Apache-2.0
// NMEA 0183 as GNSS receivers send it.
//
// A sentence is "$", its fields between commas, "*", the exclusive or of all bytes between the two in hexadecimal, and
// CR LF; it has at most 82 bytes (NMEA 0183, 5.3). The talker is GP, which all receivers of sentences know.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "clock/time.h"
#include "gateway/run/telemetry/ground_motion.h"
#include "physics_link/mavlink/geodetic.h"

namespace hilgate {

/// What a receiver knows at one instant.
struct NmeaFix {
  Nanoseconds utc{0};                        // since 1970; sentences have milliseconds
  std::optional<mavlink::Geodetic> place{};  // altitude above mean sea level; absent: the receiver has no fix
  std::optional<GroundMotion> motion{};
};

/// `$body*hh\r\n` with the checksum of `body`.
std::string nmea_sentence(std::string_view body);

/// GGA: time, position, altitude. With a position its quality is 1, of 12 satellites with an HDOP of 0.8; the
/// separation of the geoid is empty, as of a receiver without a model of it.
std::string nmea_gga(const NmeaFix& fix);

/// RMC: date, time, position, speed and course over ground, which are empty where they are not known.
std::string nmea_rmc(const NmeaFix& fix);

}  // namespace hilgate
