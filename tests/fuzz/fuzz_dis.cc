// SPDX-License-Identifier: Apache-2.0
// Datagrams of DIS: whatever is in them, robots stay in the world.
#include <cmath>
#include <variant>

#include "physics_link/dis/dis_feed.h"
#include "physics_link/foreign_numbers.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  const std::span datagram(reinterpret_cast<const std::byte*>(data), size);
  DisFeed feed({"1:2:7", "1:2:8"}, {.exercise = 1, .origin = {47, 11, 540}});
  feed.take(datagram);
  for (const dis::Pdu& pdu : dis::read_datagram(datagram)) {
    if (const auto* state = std::get_if<dis::EntityState>(&pdu)) {
      const dis::WorldPose later = dis::reckoned(*state, std::chrono::seconds(12));
      test::require(std::isfinite(later.location.x + later.location.y + later.location.z), "a place is a number");
    }
  }
  Scene scene;
  feed.scene_at(SimTime{}, scene);
  for (const Pose& pose : scene.robots) {
    test::require(bounded_pose(pose.position, pose.orientation).has_value(), "a robot is in the world");
  }
  return 0;
}
