// SPDX-License-Identifier: Apache-2.0
#include "physics_link/ros2/transform_tree.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "physics_link/place.h"

namespace hilgate {
namespace {

constexpr int kDeepest = 64;  // transforms in a chain: frames may be each other's parents

}  // namespace

void TransformTree::set(const std::string& frame, Transform transform) {
  if (transforms_.size() < kMostFrames || transforms_.contains(frame)) {
    const Quaternion& q = transform.rotation;
    if (std::isfinite(q.w + q.x + q.y + q.z)) {  // else every position below it is NaN, which is detected
      transform.rotation = normalised(q);
    }
    transforms_[frame] = std::move(transform);
  }
}

std::optional<TransformTree::Found> TransformTree::find(const std::string& frame) const {
  Found found;
  const std::string* at = &frame;
  for (int depth = 0; *at != fixed_frame_; ++depth) {
    const auto next = transforms_.find(*at);
    if (next == transforms_.end() || depth == kDeepest) {
      return std::nullopt;
    }
    const Transform& transform = next->second;
    const Vec3 turned = rotate(transform.rotation, found.at);
    found.at = {turned.x + transform.translation.x, turned.y + transform.translation.y,
                turned.z + transform.translation.z};
    found.turned = times(transform.rotation, found.turned);
    if (transform.stamp) {
      found.stamp = found.stamp ? std::min(*found.stamp, *transform.stamp) : *transform.stamp;
    }
    found.way.push_back(*at);
    at = &transform.parent;
  }
  return found;
}

}  // namespace hilgate
