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
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/telemetry/ground_motion.h"
#include "gateway/status/model/peer_status.h"
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

}  // namespace hilgate
