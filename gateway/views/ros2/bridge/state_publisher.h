// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dds/dds.h>

#include <atomic>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gateway/views/ros2/bridge/control_connection.h"
#include "gateway/views/ros2/ros2_settings.h"

namespace hilgate::ros2 {

/// Publishes the gateway's status.
class StatePublisher {
 public:
  /// Throws std::runtime_error with the error of DDS. Requires the settings' `output`.
  StatePublisher(const Ros2Settings& settings, dds_entity_t participant);

  /// Until `stop`, which is looked at several times a second. A gateway with much to say is asked less often than that.
  void run(const std::atomic<bool>& stop);

 private:
  using Clock = std::chrono::steady_clock;
  struct Publication {
    std::chrono::nanoseconds every;
    void (StatePublisher::*publish)(dds_entity_t writer, const nlohmann::json* status);  // null: it does not answer
    dds_entity_t writer;
    Clock::time_point due{};
  };

  void publish_diagnostics(dds_entity_t writer, const nlohmann::json* status);
  void publish_links(dds_entity_t writer, const nlohmann::json* status);
  void publish_connections(dds_entity_t none, const nlohmann::json* status);
  [[nodiscard]] std::chrono::nanoseconds stamp(const nlohmann::json* status) const;

  std::string run_;
  dds_entity_t participant_;
  std::map<std::string, Ros2Radio> radios_;
  std::map<std::string, dds_entity_t> connections_;  // writers, by robot
  bool in_sim_time_;                                 // subscribers use the clock that we publish
  ControlConnection control_;
  bool answered_ = false;  // ever
  std::vector<Publication> publications_;
};

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
