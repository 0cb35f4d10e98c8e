// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/web_config.h"

namespace hilgate {

/// A capture that runs as long as the gateway.
struct CaptureConfig {
  std::filesystem::path file;     // without a ring the file, else what its files are called after
  std::uint32_t snaplen = 65535;  // bytes of each frame, [1, 65535]
  std::uint64_t ring_bytes = 0;   // a file that is longer is followed by the next; 0: whatever its length
  Nanoseconds ring_time{0};       // likewise one that is older; 0: whatever its age
  std::size_t ring_files = 0;     // of these the newest stay; 0: all
};

/// What is written down of a run.
struct RecordConfig {
  std::filesystem::path folder;  // in which each run makes one of its own
  Nanoseconds every{0};          // of sim time: between link tables; 0: all of them
};

/// The run for Foxglove, by its websocket protocol.
struct FoxgloveConfig {
  WebListen listen;                                    // TCP
  Nanoseconds every = std::chrono::milliseconds(100);  // between two messages of a channel, [50ms, 10s]
  std::vector<std::string> origins{};                  // of other pages that may read it: "https://app.foxglove.dev"
};

inline constexpr const char* kDefaultFoxgloveListen = "127.0.0.1:8765";

/// Where ROS 2 is: its domain (ROS_DOMAIN_ID), and the network interface by which it is reached.
struct Ros2Place {
  std::uint32_t domain = 0;  // [0, 232]
  std::string interface;     // empty: as DDS chooses
};

/// What a robot's poses come in.
enum class Ros2Message : std::uint8_t {
  kPoseStamped,
  kOdometry,
  kTransform,
  kPoseWithCovarianceStamped,
  kNavSatFix,
  kNamedPoseArray,
  kVehicleOdometry,
  kVehicleGlobalPosition,
};

struct Ros2Source {
  Ros2Message message = Ros2Message::kPoseStamped;
  std::string name;       // the topic; of transforms the frame
  std::string element{};  // of a NamedPoseArray: the pose's name
};

/// Received poses.
struct Ros2Input {
  Ros2Place place;
  std::string fixed_frame;          // of transforms: the scene's
  std::vector<Ros2Source> sources;  // by robot, as Bodies count them
  std::string socket;               // to which hilgate-ros2 writes them
  bool stamps = true;               // are looked at, as those of the system's clock
  bool clock = false;               // /clock is received as well, for pace follow
};

/// A name as ROS 2's drivers write it when it has characters that topics cannot have.
inline std::string word_of_topic(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// What is published, and how often; absent: never.
struct Ros2Output {
  Ros2Place place;
  std::optional<Nanoseconds> diagnostics;  // /diagnostics
  std::optional<Nanoseconds> links;        // /hilgate/links
  std::optional<Nanoseconds> connections;  // /ROBOT/connection
  std::optional<Nanoseconds> clock;        // /clock, of simulation time
};

}  // namespace hilgate
