// SPDX-License-Identifier: Apache-2.0
// What the robots of a world send: their own frames, and what a faulty or hostile one makes up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/support/packets.h"
#include "tests/world/world_memory.h"
#include "tests/world/world_plan.h"
#include "tests/world/world_random.h"

namespace hilgate::test {

class WorldTraffic {
 public:
  struct Arrival {
    std::span<const std::byte> bytes;  // until the next call
    FrameIdentity identity;
    std::size_t head;  // bytes of its first segment
  };

  explicit WorldTraffic(const WorldPlan& plan);

  /// A frame of one of the port's robots, to any other, or one that the path is to refuse.
  Arrival on(std::uint32_t port, HostTime now, WorldRandom& random);
  /// A frame of the hostile robot: floods, other robots' addresses, made-up ones, frames for its accomplice.
  Arrival hostile(HostTime now, WorldRandom& random);

 private:
  static constexpr std::size_t kVariants = 4;

  Arrival of(std::uint32_t from, std::uint32_t to, HostTime now, WorldRandom& random);
  Arrival refused(std::uint32_t from, FrameKind kind, HostTime now, WorldRandom& random);
  [[nodiscard]] bool is_open(std::uint32_t port) const;
  [[nodiscard]] Bytes made(std::uint32_t from, std::uint32_t to, std::size_t variant) const;
  [[nodiscard]] FrameIdentity next(std::uint32_t from, std::uint32_t to, HostTime now);

  const WorldPlan& plan_;
  std::vector<std::vector<std::uint32_t>> robots_on_;  // by port
  std::vector<Bytes> frames_;                          // by sender, receiver (the last: everybody) and variant
  std::vector<std::uint64_t> numbers_;                 // by robot
  Bytes scratch_;
};

}  // namespace hilgate::test
