// SPDX-License-Identifier: Apache-2.0
// One reader for each format. Each takes the content of a file and its name, which is for faults and, where a format
// has no names, for the track; throws ConfigError with the line, or byte, of each fault.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "physics_link/tracklog/track_log.h"

namespace hilgate {

// Binary logs: numbers at offsets. What is read of a file is checked against its end first.

/// The little-endian number at `offset`. Requires that `bytes` holds it.
template <class T>
T number_at(std::string_view bytes, std::size_t offset) {
  static_assert(std::endian::native == std::endian::little && std::is_arithmetic_v<T>);
  assert(offset <= bytes.size() && sizeof(T) <= bytes.size() - offset);
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// Whether bytes [offset, offset + size) are there.
inline bool has_bytes(std::string_view bytes, std::size_t offset, std::size_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

/// PX4's ULog (docs.px4.io, "ULog File Format"): vehicle_global_position, else vehicle_local_position, with its
/// reference where there is one, else the GNSS receiver. One track, named by the file. What follows the first cut-off
/// message is left out, with a note.
TrackLog parse_ulog(std::string_view bytes, const std::string& file);

/// MAVLink telemetry log of ground stations (mavlink.io, "Telemetry logs"): GLOBAL_POSITION_INT at the times at which
/// the ground station received it. A track `systemN` for each system.
TrackLog parse_tlog(std::string_view bytes, const std::string& file);

/// ArduPilot's DataFlash log (ardupilot.org, "Logs", and AP_Logger's format of FMT): POS, else GPS. One track, named by
/// the file.
TrackLog parse_dataflash(std::string_view bytes, const std::string& file);

/// GPX 1.0 and 1.1 (topografix.com): the points of `trk` with `time`. A track for each `trk`, by its name.
TrackLog parse_gpx(std::string_view text, const std::string& file);

/// KML's gx:Track (Google's extension 2.2; OGC KML 2.3: Track). A track for each Placemark that has one.
TrackLog parse_kml(std::string_view text, const std::string& file);

/// NMEA 0183: GGA, else RMC; dates from RMC and ZDA. One track, named by the file.
TrackLog parse_nmea(std::string_view text, const std::string& file);

/// Movements of ns-2, `setdest` (The ns Manual, "Mobile Networking in ns"). A track `nodeN` for each node.
TrackLog parse_ns2(std::string_view text, const std::string& file);

/// BonnMotion's .movements (BonnMotion's documentation, "The native format"): a line for each node, of t x y, or
/// t x y z. Tracks node0, node1, and so on.
TrackLog parse_bonnmotion(std::string_view text, const std::string& file);

/// SUMO's floating car data (sumo.dlr.de, "FCDOutput"), in metres. A track for each vehicle, person and container.
TrackLog parse_fcd(std::string_view text, const std::string& file);

/// Session of CORE (coreemu.github.io, "XML"): the latitudes and longitudes of devices, which stand still. A track for
/// each device, by its name.
TrackLog parse_core_session(std::string_view text, const std::string& file);

/// QGroundControl's plan (its manual for developers, "Plan file format"): a planned flight at the plan's speed,
/// straight lines without acceleration, with what items wait. One track, named by the file; time 0 is its beginning, at
/// home.
TrackLog parse_qgc_plan(std::string_view text, const std::string& file);

/// ROS 2's bag in MCAP, messages in CDR: PoseStamped, PoseWithCovarianceStamped, Odometry and NavSatFix by their
/// stamps, px4_msgs' VehicleOdometry and VehicleGlobalPosition (PX4 1.14 and later) by the times of the bag. A track
/// for each topic, by its name without the first '/'. Times are UTC, or of a simulation where they are before 2001.
TrackLog parse_ros2_bag(std::string_view bytes, const std::string& file);

}  // namespace hilgate
