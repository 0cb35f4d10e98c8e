// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/antennas.h"

#include "physics_link/rotation.h"

namespace hilgate {

void Antennas::add(const AntennaPattern& pattern, const AntennaMount& mount) {
  const bool directional = !is_isotropic(pattern);
  antennas_.push_back({.pattern = &pattern, .mount = mount, .directional = directional});
  any_ = any_ || directional;
}

Vec3 Antennas::place(std::size_t i, const Pose& pose) {
  Antenna& antenna = antennas_[i];
  antenna.oriented = pose.oriented;
  const Quaternion turned = pose.oriented ? normalised(pose.orientation) : Quaternion{};
  antenna.into_frame = inverse(times(turned, antenna.mount.rotation));
  const Vec3 offset = rotate(turned, antenna.mount.offset);
  return {pose.position.x + offset.x, pose.position.y + offset.y, pose.position.z + offset.z};
}

Decibels Antennas::towards(const Antenna& antenna, const Vec3& direction) {
  return antenna.directional && antenna.oriented ? gain_in(*antenna.pattern, rotate(antenna.into_frame, direction))
                                                 : Decibels{};
}

Decibels Antennas::gain(std::size_t a, const Vec3& at_a, std::size_t b, const Vec3& at_b) const {
  const Vec3 line{at_b.x - at_a.x, at_b.y - at_a.y, at_b.z - at_a.z};
  if (line == Vec3{}) {
    return {};
  }
  return towards(antennas_[a], line) + towards(antennas_[b], {-line.x, -line.y, -line.z});
}

bool Antennas::blind(std::size_t i) const {
  return antennas_[i].directional && !antennas_[i].oriented;
}

}  // namespace hilgate
