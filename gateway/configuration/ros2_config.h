// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"

namespace hilgate {

/// Where ROS 2 is: its domain (ROS_DOMAIN_ID), and the network interface by which it is reached.
struct Ros2Place {
  std::uint32_t domain = 0;  // [0, 232]
  std::string interface;     // empty: as DDS chooses
};

/// What a robot's poses come in.
enum class Ros2Message : std::uint8_t { kPoseStamped, kOdometry, kTransform };

struct Ros2Source {
  Ros2Message message = Ros2Message::kPoseStamped;
  std::string name;  // the topic; of transforms the frame
};

/// Poses that are heard.
struct Ros2Input {
  Ros2Place place;
  std::string fixed_frame;          // of transforms: the scene's
  std::vector<Ros2Source> sources;  // by RobotIndex
  std::string socket;               // to which hilgate-ros2 writes them
  bool stamps = true;               // are looked at, as those of the system's clock
  bool clock = false;               // /clock is heard as well, for pace follow
};

/// What ROS 2's drivers make of a name that may not stand in topics.
inline std::string word_of_topic(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// What is published, and how often; nothing: not at all.
struct Ros2Output {
  Ros2Place place;
  std::optional<Nanoseconds> diagnostics;  // /diagnostics
  std::optional<Nanoseconds> links;        // /hilgate/links
  std::optional<Nanoseconds> connections;  // /ROBOT/connection
  std::optional<Nanoseconds> clock;        // /clock, of simulation time
};

}  // namespace hilgate
