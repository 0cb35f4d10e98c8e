// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <filesystem>
#include <functional>
#include <memory>

#include "clock/tsc_clock.h"
#include "gateway/configuration/configuration.h"
#include "gateway/daemon/service_notify.h"
#include "gateway/run/windows/window_timer.h"
#include "path/data_plane.h"
#include "path/ports/port_plan.h"
#include "path/settings/path_settings.h"

namespace hilgate {

/// What a daemon runs on: the machine in `hilgate run`, simulated parts in worlds (tests/world). All of it outlives the
/// daemon.
struct DaemonHost {
  asio::io_context& context;
  TscClock& clock;
  WindowTimer& window_timer;
  ServiceNotify& service;
  std::filesystem::path control_socket;
  /// As make_data_plane().
  std::function<std::unique_ptr<DataPlane>(const Configuration& configuration, const PathSettings& settings,
                                           const PortPlan& ports, const TscClock& clock)>
      make_plane;
  /// Called once, when ports and sockets are open and no packet loop runs yet: gives up rights that are not needed any
  /// more.
  std::function<void()> confine;
};

}  // namespace hilgate
