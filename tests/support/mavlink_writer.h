// SPDX-License-Identifier: Apache-2.0
// Messages of a MAVLink system, as programs at ports write them.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "physics_link/mavlink/frame.h"
#include "tests/support/packets.h"

namespace hilgate::test {

class MavlinkWriter {
 public:
  explicit MavlinkWriter(std::uint8_t system) : system_(system) {}

  /// `extra` is the message's CRC_EXTRA.
  Bytes message(std::uint32_t number, std::uint8_t extra, const std::vector<std::uint8_t>& payload) {
    const std::string text = mavlink::write_frame({.sequence = sequence_++, .system = system_, .component = 1}, number,
                                                  extra, std::as_bytes(std::span(payload)));
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
  }
  Bytes heartbeat() { return message(0, 50, {0, 0, 0, 0, 2, 3, 0, 4, 3}); }
  /// LOCAL_POSITION_NED, in metres.
  Bytes local_position(float east, float north, float up) {
    std::vector<std::uint8_t> payload(28);
    const std::array<float, 3> ned{north, east, -up};
    std::memcpy(payload.data() + 4, ned.data(), sizeof(ned));
    return message(32, 185, payload);
  }

  /// A router has several systems' messages.
  void write_as(std::uint8_t system) { system_ = system; }
  /// So many frames are missing before the next.
  void skip(std::uint8_t frames) { sequence_ = static_cast<std::uint8_t>(sequence_ + frames); }

 private:
  std::uint8_t system_;
  std::uint8_t sequence_ = 0;
};

}  // namespace hilgate::test
