// SPDX-License-Identifier: Apache-2.0
// Access points in addition to the robots: their positions, and the scene that includes them. They are numbered after
// the robots, in configuration order.
//
// Fixed access points see robots past the given obstacles; with an external physics simulator, which does not know
// them, they see every robot. An access point on a robot has the robot's position and sights.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "netsim_link/air_plan.h"
#include "netsim_link/embedded/antennas.h"
#include "netsim_link/embedded/association.h"
#include "physics_link/obstacles.h"
#include "physics_link/scene.h"
#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

struct AccessPoint {
  std::optional<RobotIndex> robot;  // that carries it, by wire; absent: it is fixed at `position`
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
  Obstacles obstacles;
};

/// What robots and access points are, by number; `radios` by RobotIndex, null for robots without. Throws
/// std::runtime_error where an access point's radio has no medium that stations could share.
std::vector<AirRole> roles_in(const AccessNetwork& network,
                              const std::vector<std::shared_ptr<const RadioProfile>>& radios);

/// Where wired robots are attached, by number; the others' are empty.
std::vector<Attachment> wired_attachments(const AccessNetwork& network, std::size_t robots);

/// The scene of the robots, followed by the access points.
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
