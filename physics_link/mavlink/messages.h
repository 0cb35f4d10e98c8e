// SPDX-License-Identifier: Apache-2.0
// The few MAVLink messages that a gateway reads and the one it writes (mavlink.io, common.xml). Fields lie in the order
// of their size, little-endian; what a frame leaves out at its end is zero.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "clock/time.h"
#include "physics_link/mavlink/frame.h"
#include "physics_link/mavlink/geodetic.h"
#include "physics_link/scene.h"

namespace hilgate::mavlink {

struct Heartbeat {
  static constexpr std::uint8_t kGroundStation = 6;
  std::uint8_t type = 0;       // MAV_TYPE
  std::uint8_t autopilot = 0;  // MAV_AUTOPILOT
};
/// ATTITUDE, turned from north-east-down to east-north-up, and from forward-right-down to forward-left-up.
struct Attitude {
  Quaternion enu{};
  Nanoseconds since_boot{0};
};
/// GLOBAL_POSITION_INT. Autopilots send zeros until they have a fix.
struct GlobalPosition {
  Geodetic at{};
  bool fix = false;
  Nanoseconds since_boot{0};  // of the autopilot
};
/// HIGH_LATENCY2 or HIGH_LATENCY, which takes the place of all else on a satellite's link: altitudes in whole metres.
/// Its time may be that of boot or of the world, and counts for nothing.
struct HighLatency {
  Geodetic at{};
  bool fix = false;
  std::optional<Heartbeat> heartbeat{};  // HIGH_LATENCY2 has the vehicle's type
};
/// SYSTEM_TIME.
struct SystemTime {
  Nanoseconds since_boot{0};
};
/// LOCAL_POSITION_NED, in the vehicle's own frame, turned to east, north, up.
struct LocalPosition {
  Vec3 enu{};
  Nanoseconds since_boot{0};
};
/// ODOMETRY, likewise. Empty where its frame has no known heading: only local NED and ENU frames have one.
struct Odometry {
  std::optional<Vec3> enu{};
};
/// GPS_GLOBAL_ORIGIN: where a vehicle's local frame lies.
struct GlobalOrigin {
  Geodetic at{};
};
/// HOME_POSITION: the same place in both frames.
struct HomePosition {
  Geodetic at{};
  Vec3 enu{};
};
/// TIMESYNC: a request has tc1 0; its answer repeats ts1. Nanoseconds of clocks of their own.
struct TimeSync {
  std::int64_t tc1 = 0;
  std::int64_t ts1 = 0;
};
/// RADIO_STATUS of the radio at the receiver's end. 255: not known.
struct RadioStatus {
  std::uint16_t rxerrors = 0;  // frames lost to bit errors, wraps
  std::uint16_t fixed = 0;     // frames that the decoder repaired, wraps
  std::uint8_t rssi = 255;     // how strongly the other end is heard here, in the radio's own scale
  std::uint8_t remrssi = 255;  // how strongly this end is heard there
  std::uint8_t txbuf = 100;    // percent of the transmit buffer that is free
  std::uint8_t noise = 255;
  std::uint8_t remnoise = 255;
  friend bool operator==(const RadioStatus&, const RadioStatus&) = default;
};

/// monostate: a message that nobody here reads.
using Message = std::variant<std::monostate, Heartbeat, SystemTime, Attitude, GlobalPosition, HighLatency,
                             LocalPosition, Odometry, GlobalOrigin, HomePosition, TimeSync, RadioStatus>;

enum class Checksum : std::uint8_t {
  kRight,
  kWrong,
  kUnknown,  // of a message that nobody here reads: its CRC_EXTRA is not known
};
Checksum check(const Frame& frame);

/// The vehicle's own time, where a message has it.
std::optional<SimTime> vehicle_time(const Message& message);

/// The frame's content. Requires a checksum that is right or unknown.
Message read_message(const Frame& frame);

/// The frame of a RADIO_STATUS.
std::string write_radio_status(const Speaker& speaker, const RadioStatus& status);

// Powers in RADIO_STATUS of a SiK radio: steps of 1/1.9 dB above -127 dBm (SiK firmware's documentation, "Using SiK
// radios": signal in dBm = RSSI / 1.9 - 127). MAVLink leaves the scale to the radio; others have their own.

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
