// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dds/dds.h>

#include <atomic>
#include <chrono>

#include "gateway/views/ros2/bridge/control_connection.h"
#include "gateway/views/ros2/ros2_settings.h"

namespace hilgate::ros2 {

/// Publishes simulated time on /clock, for nodes with `use_sim_time`: whenever it has gone on.
class ClockPublisher {
 public:
  /// Throws std::runtime_error with the error of DDS. Requires the settings' `output`, with a clock.
  ClockPublisher(const Ros2Settings& settings, dds_entity_t participant);

  /// Until `stop`, which is looked at several times a second.
  void run(const std::atomic<bool>& stop);

 private:
  ControlConnection control_;
  std::chrono::nanoseconds every_;
  dds_entity_t writer_;
};

}  // namespace hilgate::ros2
