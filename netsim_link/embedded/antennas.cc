// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/antennas.h"

#include <algorithm>
#include <cmath>

#include "physics_link/place.h"

namespace hilgate {

Decibels BodyLoss::towards(const Vec3& direction) const {
  const double sine = direction.z / std::hypot(direction.x, direction.y, direction.z);
  const double above = std::clamp((sine / std::sin(kBodyEdge) + 1) / 2, 0.0, 1.0);
  return {std::lerp(lower.value, upper.value, above)};
}

void Antennas::add(const AntennaPattern& pattern, const AntennaMount& mount) {
  const bool directional = !is_isotropic(pattern);
  const bool shadowed = mount.body_loss != BodyLoss{};
  antennas_.push_back({.pattern = &pattern, .mount = mount, .directional = directional, .shadowed = shadowed});
  any_ = any_ || directional || shadowed;
}

Vec3 Antennas::place(std::size_t i, const Pose& pose) {
  Antenna& antenna = antennas_[i];
  antenna.oriented = pose.oriented;
  const Quaternion turned = pose.oriented ? normalised(pose.orientation) : Quaternion{};
  antenna.into_frame = inverse(times(turned, antenna.mount.rotation));
  antenna.into_body = inverse(turned);
  const Vec3 offset = rotate(turned, antenna.mount.offset);
  return {pose.position.x + offset.x, pose.position.y + offset.y, pose.position.z + offset.z};
}

Decibels Antennas::towards(const Antenna& antenna, const Vec3& direction) {
  if (!antenna.oriented) {
    return {};
  }
  Decibels gain{};
  if (antenna.directional) {
    gain = gain_in(*antenna.pattern, rotate(antenna.into_frame, direction));
  }
  if (antenna.shadowed) {
    gain = gain - antenna.mount.body_loss.towards(rotate(antenna.into_body, direction));
  }
  return gain;
}

Decibels Antennas::gain(std::size_t a, const Vec3& at_a, std::size_t b, const Vec3& at_b) const {
  const Vec3 line{at_b.x - at_a.x, at_b.y - at_a.y, at_b.z - at_a.z};
  if (line == Vec3{}) {
    return {};
  }
  return towards(antennas_[a], line) + towards(antennas_[b], {-line.x, -line.y, -line.z});
}

bool Antennas::blind(std::size_t i) const {
  return (antennas_[i].directional || antennas_[i].shadowed) && !antennas_[i].oriented;
}

}  // namespace hilgate
