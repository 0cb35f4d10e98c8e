// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "clock/tsc_clock.h"
#include "gateway/configuration/configuration.h"
#include "gateway/daemon/change.h"
#include "gateway/daemon/coverage_desk.h"
#include "gateway/daemon/live_scenario.h"
#include "gateway/daemon/port_watch.h"
#include "gateway/daemon/run_start.h"
#include "gateway/daemon/service_notify.h"
#include "gateway/daemon/site_member_run.h"
#include "gateway/daemon/stopped_outputs.h"
#include "gateway/dlep/dlep_modems.h"
#include "gateway/run/capture/captures.h"
#include "gateway/run/conditions/condition_watch.h"
#include "gateway/run/control/control_server.h"
#include "gateway/run/events/event_feed.h"
#include "gateway/run/events/run_observer.h"
#include "gateway/run/recorder/recorder.h"
#include "gateway/run/simulation/windows.h"
#include "gateway/run/telemetry/telemetry.h"
#include "gateway/run/time/run_clock.h"
#include "gateway/run/time/time_server.h"
#include "gateway/run/windows/window_timer.h"
#include "gateway/status/meters.h"
#include "gateway/status/model/run_status.h"
#include "host/control_clock.h"
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
  /// What the control thread does not wait for: windows of a site's past, coverage, the texts of statuses.
  BackgroundWork background = work_on_thread;
};

/// A running gateway: the packet path on its own threads, everything else on the caller's.
class Daemon {
 public:
  /// Opens ports and sockets. Throws std::runtime_error with what is wrong and what would be right.
  Daemon(RunStart start, RunIdentity identity, DaemonHost host);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// Begins the run, which continues in the host's io_context until stop(), the end of the scenario or that of a
  /// simulator stops that context.
  void start();
  /// Ends the run.
  void stop() { windows_.stop(); }
  /// Continues with the configuration's file as it is now; a refusal goes to the log.
  void reload();
  /// After the io_context has stopped: stops the packet loops and reports the totals in the log. Throws
  /// std::runtime_error when a simulator ended the run.
  void finish();
  /// What went otherwise than the scenario expects, "FILE:LINE: what" each, and outputs that are incomplete.
  [[nodiscard]] std::vector<std::string> failures() const;

 private:
  ControlServer::Commands commands();
  void discipline_tsc();
  void keep_alive();
  /// The window engine has ended, and with it the run; `why` is empty when that was requested.
  void end(const std::string& why);

  nlohmann::ordered_json handle(const nlohmann::json& request);
  /// Of a command that changes the run; throws std::runtime_error for an unknown one.
  void handle_change(const std::string& command, const nlohmann::json& request);
  /// With all links of `robots`; without names, of all.
  RunStatus status(const std::vector<std::string>& robots = {});
  ControlServer::Document status_document(const std::vector<std::string>& robots);
  /// The part of the status that a record has each second; null when the packet loop does not answer.
  nlohmann::ordered_json totals();
  [[nodiscard]] ClockReportStatus clock() const;
  /// Values of the configuration in force under these keys; all of it without keys.
  [[nodiscard]] nlohmann::ordered_json get(const std::vector<std::string>& keys) const;

  /// Stops or continues simulation time. Throws std::runtime_error in a pace in which it cannot.
  void pause(bool stand);
  void changed(const Configuration& before, const RobotSlots& slots);
  void begin_record();

  const RunIdentity identity_;
  DaemonHost host_;
  RunningConfiguration running_;
  ControlTimer discipline_timer_;
  ControlTimer alive_timer_;
  HostTime started_;
  ControlServer control_;  // before what opens ports: it refuses a second run of this name
  RunClock clock_;         // before the plane, whose loops may follow it
  std::unique_ptr<DataPlane> plane_;
  Captures captures_;
  TimeServer time_server_;
  RunObservers observers_;
  Windows windows_;
  Telemetry telemetry_;
  DlepModems dlep_;
  EventFeed events_;
  PortWatch port_watch_;
  ConditionWatch conditions_;
  Recorder recorder_;
  const RunOutputs outputs_;
  AirMeter air_meter_;
  LinkMeter link_meter_;
  ConfigChange change_;
  CoverageDesk coverage_;
  std::optional<SiteMemberRun> site_;  // absent: the gateway is alone
  LiveScenario scenario_;
  std::uint64_t last_heartbeat_ = 0;
  std::string failure_;  // why the run cannot continue
};

}  // namespace hilgate
