// SPDX-License-Identifier: Apache-2.0
// Access points beside the robots: where they stand, and the scene with them in it. They are numbered behind the
// robots, in their order.
//
// Fixed ones see robots past the given obstacles; with an external physics simulator, which does not know them,
// everybody sees them. One that is a robot is where the robot is and sees what it sees.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "netsim_link/air_plan.h"
#include "netsim_link/embedded/antennas.h"
#include "netsim_link/embedded/association.h"
#include "physics_link/obstacle.h"
#include "physics_link/scene.h"
#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

struct AccessPoint {
  std::optional<RobotIndex> robot;  // that it is part of, and wired to; absent: it stands at `position`
  Vec3 position;
  std::shared_ptr<const RadioProfile> radio;
  std::string channel;  // those of one channel and radio domain share the air
  AntennaMount antenna{};
};

/// Infrastructure mode, as configured.
struct AccessNetwork {
  std::vector<AccessPoint> access_points;  // none: no infrastructure mode
  std::vector<RobotIndex> wired;           // robots at the distribution system itself
  Nanoseconds delay{0};                    // of the distribution system
  Roaming roaming;
  std::vector<Obstacle> obstacles;
};

/// What robots and access points are, by number; `radios` by RobotIndex, null for robots without. Throws
/// std::runtime_error where an access point's radio has no medium that stations could share.
std::vector<AirRole> roles_in(const AccessNetwork& network,
                              const std::vector<std::shared_ptr<const RadioProfile>>& radios);

/// Where wired robots are attached, by number; the others' are empty.
std::vector<Attachment> wired_attachments(const AccessNetwork& network, std::size_t robots);

/// The scene of robots, with access points behind them.
class ExtendedScene {
 public:
  explicit ExtendedScene(const AccessNetwork& network) : network_(network) {}
  const Scene& extend(const Scene& robots);

 private:
  void look(const Scene& robots, std::size_t access_point, std::size_t other, Sight& sight) const;

  AccessNetwork network_;
  Scene scene_;
};

}  // namespace hilgate
