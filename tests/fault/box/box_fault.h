// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/fault/live/live_fault.h"

namespace hilgate::test {

/// A gateway of cables whose machine and operators have faults.
class BoxFault : public LiveFault {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    start({.yaml = "memory: {frames: 16384}\nnetsim: {type: wire}\n", .robots = {"red", "blue", "mallory", "green"}});
    begin();
  }

  static nlohmann::ordered_json ask(const nlohmann::json& request) {
    return control_request(control_socket(gateway().run()), request);
  }
  static void set(const std::string& assignment) { ask({{"command", "set"}, {"values", {assignment}}}); }
  /// What the gateway says to a request that it refuses; empty when it does not.
  static std::string refusal_of(const nlohmann::json& request) {
    try {
      ask(request);
    } catch (const std::exception& error) {
      return error.what();
    }
    return {};
  }
  /// How long until the gateway answers.
  static std::chrono::nanoseconds answer_time() {
    return time_of([] { ask({{"command", "status"}}); });
  }
};

}  // namespace hilgate::test
