// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "physics_link/feeds/position_feed.h"

namespace hilgate {

/// AVENS: X-Plane's plug-in writes the positions of all aircraft to an XML file now and then. The file is checked for
/// every scene, and read when it has changed; half-written ones are counted and tried again.
class AvensPhysics final : public PositionFeed {
 public:
  /// `robots`: names; the n-th aircraft of the file is the n-th robot.
  AvensPhysics(std::filesystem::path file, std::size_t robots);
  void scene_at(SimTime at, Scene& scene) override;

 private:
  void read();

  std::filesystem::path file_;
  std::filesystem::file_time_type written_{};
};

}  // namespace hilgate
