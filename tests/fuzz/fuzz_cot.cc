// SPDX-License-Identifier: Apache-2.0
// Events of Cursor on Target: whatever is in them, robots stay in the world, and a stream is cut the same way however
// it comes in pieces.
#include "physics_link/cot/cot_feed.h"
#include "physics_link/foreign_numbers.h"
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CotFeed feed({"drone-1", "BLUE"}, {.origin = {47, 11, 540}, .stamps = false});
  feed.take(text, std::chrono::hours(1));
  cot::EventCutter whole;
  whole.add(text);
  cot::EventCutter pieces;
  for (const char byte : text) {
    pieces.add({&byte, 1});
    if (const auto event = pieces.next()) {
      feed.take(*event, std::chrono::hours(1));
      test::require(whole.next() == event, "a stream is cut at the same places");
    }
  }
  test::require(!whole.next(), "a stream is cut as often");
  Scene scene;
  feed.scene_at(SimTime{}, scene);
  for (const Pose& pose : scene.robots) {
    test::require(bounded_position(pose.position).has_value(), "a robot is in the world");
  }
  return 0;
}
