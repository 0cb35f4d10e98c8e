// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "physics_link/ros2/ros2_line.h"
#include "physics_link/scene.h"

namespace hilgate {

/// The newest transforms of tf2, each from a frame to its parent, and the resulting position of a frame in the fixed
/// one. Nothing is interpolated: the last value of every transform counts.
class TransformTree {
 public:
  /// Names beyond this are not remembered: a publisher can make up any number of them.
  static constexpr std::size_t kMostFrames = 4096;

  struct Transform {
    std::string parent{};
    Vec3 translation{};             // m, in the parent's frame
    Quaternion rotation{};          // from the frame to the parent's; of any length
    std::optional<UnixTime> stamp;  // nothing: static
  };
  struct Found {
    Vec3 at{};
    Quaternion turned{};
    std::optional<UnixTime> stamp;  // of the oldest transform on the way; nothing: all are static
    std::vector<std::string> way;   // the frames whose transforms these are
  };

  explicit TransformTree(std::string fixed_frame) : fixed_frame_(std::move(fixed_frame)) {}

  void set(const std::string& frame, Transform transform);
  /// Nothing while a transform on the way to the fixed frame is missing.
  [[nodiscard]] std::optional<Found> find(const std::string& frame) const;

 private:
  std::string fixed_frame_;
  std::map<std::string, Transform> transforms_;  // by frame
};

}  // namespace hilgate
