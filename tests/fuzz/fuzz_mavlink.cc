// SPDX-License-Identifier: Apache-2.0
#include "physics_link/mavlink/messages.h"
#include "physics_link/mavlink/systems.h"
#include "physics_link/mavlink/vehicles.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  using namespace hilgate::mavlink;
  Vehicles vehicles({.names = {"red", "blue"},
                     .tracks = {Track{{SimTime{}, {}}}, Track{{SimTime{}, {1, 2, 3}}}},
                     .system_ids = {std::nullopt, std::uint8_t{2}},
                     .obstacles = {},
                     .origin = std::nullopt});
  Systems systems([](const std::string&) {});
  SimTime at{};
  each_frame(std::as_bytes(std::span(data, size)), [&](const mavlink::Frame& frame) {
    const Message message = read_message(frame);
    const RobotIndex from{frame.component % 2U};
    at += Nanoseconds{1'000'000};
    systems.take({.from = from, .channel = frame.component, .at = at}, frame, message,
                 [](RobotIndex) { return std::string("robot"); });
    vehicles.take(from, author_of(frame), message, {HostTime{at.time_since_epoch()}, at});
    vehicles.watch(at);
    if (check(frame) == Checksum::kWrong) {
      systems.take_wrong(frame);
    }
  });
  Scene scene;
  vehicles.scene_at(SimTime{}, scene);
  for (const Pose& pose : scene.robots) {
    // What no vehicle may do to the radio models: distances that are no numbers.
    if (!(pose.position.x * 0 == 0 && pose.position.y * 0 == 0 && pose.position.z * 0 == 0)) {
      __builtin_trap();
    }
  }
  return 0;
}
