// SPDX-License-Identifier: Apache-2.0
// What comes in by the ports of a gateway that runs without any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"

namespace hilgate {

struct SourceFrame {
  PortIndex port{};
  SimTime at{};
  std::uint32_t length = 0;        // bytes
  std::vector<std::byte> bytes{};  // its first
};

class FrameSource {
 public:
  virtual ~FrameSource() = default;
  FrameSource() = default;
  FrameSource(const FrameSource&) = delete;
  FrameSource& operator=(const FrameSource&) = delete;

  /// The next one, in the order of time; false at the end.
  virtual bool next(SourceFrame& frame) = 0;
};

/// Frames that every robot sends to every other one. Those of different links do not come at the same instant.
struct MadeTraffic {
  Nanoseconds interval{10'000'000};  // between two frames of a link, at least 1us
  Nanoseconds length{10'000'000'000};
  std::uint32_t bytes = 200;  // of a frame, without VLAN tag and FCS, [60, 9000]
};

/// Throws std::runtime_error for robots without MAC address, whose frames cannot be made.
std::unique_ptr<FrameSource> made_frames(const Configuration& configuration, const MadeTraffic& traffic);

/// Those of a capture (CapturedFrames); the first of them at sim time 0. Throws, and next() as well, as CapturedFrames.
std::unique_ptr<FrameSource> captured_frames(const Configuration& configuration, const std::filesystem::path& capture);

}  // namespace hilgate
