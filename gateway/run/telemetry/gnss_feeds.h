// SPDX-License-Identifier: Apache-2.0
// Positions of robots to themselves, as a GNSS receiver on each would report them.
//
// A receiver has a fix at each multiple of its interval in simulation time, of the scene that is in force then, and
// sends it as one datagram with the sentences GGA and RMC. Times are UTC: that of this machine at the first fix, and
// from then on as simulation time advances. The error of a position is a Gauss-Markov process of first order on each
// axis (R. G. Brown, P. Y. C. Hwang, "Introduction to Random Signals and Applied Kalman Filtering", 4.4): a function of
// the run's seed, the robot and the number of the fix. Speed and course have no error.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/telemetry/ground_motion.h"
#include "gateway/status/model/peer_status.h"
#include "physics_link/mavlink/geodetic.h"
#include "physics_link/scene.h"

namespace hilgate {

/// The error of one receiver, east, north and up, m.
class GnssError {
 public:
  /// `stream`: the receiver's, of the run's seed.
  GnssError(std::uint64_t seed, std::uint32_t stream);

  /// The error at fix `number`, which grows from call to call; fixes between two calls count as taken. More than
  /// 100 000 of them are skipped: the process then begins anew.
  const Vec3& at(std::uint64_t number, const GnssConfig& config);

 private:
  [[nodiscard]] Vec3 drawn(std::uint64_t number, const GnssErrorConfig& error) const;

  std::uint64_t seed_;
  std::uint32_t stream_;
  std::optional<std::uint64_t> number_;
  Vec3 error_{};
};

/// Control thread.
class GnssFeeds {
 public:
  /// False when the frame cannot be sent.
  using Send = std::function<bool(RobotIndex, std::span<const std::byte>)>;

  /// Sends the fixes that are due at the scene's instant. `utc`: at the scene's instant now; the first call's counts.
  void send_due(const Configuration& configuration, const Scene& scene, Nanoseconds utc, const Send& send);
  /// The configuration has changed: receivers that are no longer in it are forgotten.
  void changed(const Configuration& configuration);
  /// All receivers at this gateway's ports, in the order of the configuration.
  [[nodiscard]] std::vector<GnssFeedStatus> status(const Configuration& configuration) const;

 private:
  struct Feed {
    GnssError error;
    MotionMeter motion{};
    std::optional<std::uint64_t> fix{};  // number of the last one
    std::optional<mavlink::Geodetic> sent_place{};
    std::optional<Vec3> sent_error{};
    std::uint64_t sent = 0, refused = 0, skipped = 0;
  };
  void send_fix(const Configuration& configuration, RobotIndex robot, const Scene& scene, Feed& feed,
                const Send& send) const;

  std::map<std::string, Feed> feeds_;  // by robot
  std::optional<Nanoseconds> zero_;    // UTC at simulation time 0
};

// NMEA 0183 as GNSS receivers send it.
//
// A sentence is "$", its fields between commas, "*", the exclusive or of all bytes between the two in hexadecimal, and
// CR LF; it has at most 82 bytes (NMEA 0183, 5.3). The talker is GP, which all receivers of sentences know.

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
