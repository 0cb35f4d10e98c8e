// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/ros2/bridge/clock_publisher.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <thread>

#include "gateway/views/ros2/bridge/domains.h"
#include "gateway/views/ros2/bridge/message_parts.h"

namespace hilgate::ros2 {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::nanoseconds kClockStopsWithin = 100ms;

}  // namespace

ClockPublisher::ClockPublisher(const Ros2Settings& settings, dds_entity_t participant)
    : control_(settings.control_socket),
      every_(settings.output->clock.value()),
      writer_(writer_of(participant, rosgraph_msgs_msg_dds__Clock__desc, "/clock")) {}

void ClockPublisher::run(const std::atomic<bool>& stop) {
  for (std::int64_t shown = -1; !stop; std::this_thread::sleep_for(std::min(every_, kClockStopsWithin))) {
    const std::optional<nlohmann::json> clock = control_.ask("clock");
    const std::int64_t now = clock ? clock->value("sim_ns", shown) : shown;
    if (now != shown) {
      const rosgraph_msgs_msg_dds__Clock_ message{time_of(std::chrono::nanoseconds(now))};
      dds_write(writer_, &message);
      shown = now;
    }
  }
}

}  // namespace hilgate::ros2
