// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clock/tsc_clock.h"
#include "gateway/configuration/configuration.h"
#include "gateway/configuration/document/config_document.h"
#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/configuration/scenario/scenario_player.h"
#include "gateway/daemon/port_watch.h"
#include "gateway/daemon/run_start.h"
#include "gateway/daemon/service_notify.h"
#include "gateway/daemon/site/site_commands.h"
#include "gateway/daemon/site/site_rejoin.h"
#include "gateway/run/capture/captures.h"
#include "gateway/run/capture/delay_meter.h"
#include "gateway/run/conditions/condition_watch.h"
#include "gateway/run/control/control_server.h"
#include "gateway/run/events/event_feed.h"
#include "gateway/run/events/run_observer.h"
#include "gateway/run/planes/robot_slots.h"
#include "gateway/run/recorder/recorder.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/run/simulation/site_air.h"
#include "gateway/run/simulation/windows.h"
#include "gateway/run/telemetry/telemetry.h"
#include "gateway/run/time/run_clock.h"
#include "gateway/run/time/time_server.h"
#include "gateway/status/air_meter.h"
#include "path/data_plane.h"

namespace hilgate {

/// A running gateway: the packet path on its own thread, everything else on the caller's.
class Daemon final : private ScenarioRun, private RunObserver, private SiteMember {
 public:
  /// Opens ports and sockets. Throws std::runtime_error with what is wrong and what would be right.
  Daemon(RunStart start, RunIdentity identity);
  ~Daemon() override;

  /// Runs until SIGINT or SIGTERM, or the end of the scenario, then stops cleanly and reports the totals in the log.
  /// Throws std::runtime_error when a simulator ended the run.
  void run();
  /// What went otherwise than the scenario expects, "FILE:LINE: what" each.
  [[nodiscard]] std::vector<std::string> failures() const;

 private:
  // The loop answers within an iteration, a few microseconds; a sanitized build on a busy machine may be descheduled.
  static constexpr std::chrono::milliseconds kSnapshotPatience{500};

  static void guard_output();
  void wait_for_signal();
  void wait_for_reload();
  void discipline_tsc();
  void keep_alive();
  void stop();
  void end(const std::string& why);
  nlohmann::ordered_json handle(const nlohmann::json& request);
  /// With all links of `robots`; without names, of all.
  nlohmann::ordered_json status(const std::vector<std::string>& robots = {});
  /// Of the status, what a record has each second; null when the packet loop does not answer.
  nlohmann::ordered_json totals();
  /// Goes on by another configuration, or throws what is wrong with it and leaves all as it was.
  void change(const ConfigDocument& document);
  /// As change(), by KEY=VALUE. Of other files than the configuration's own the errors say where, and not what is
  /// there.
  void set(const std::vector<std::string>& values);
  void reload();
  /// What the configuration in force has under these keys, all of it without keys.
  nlohmann::ordered_json get(const std::vector<std::string>& keys) const;
  /// Stops or continues simulation time. Throws std::runtime_error in a pace in which it cannot.
  void pause(bool stand);

  void prepare_scenario();
  void begin_scenario();
  void play(SimTime now);
  void end_scenario();
  /// {"text": YAML, "name": "cut.yaml"} starts a scenario where the run is, {"stop": true} ends it and takes back what
  /// its steps have changed. Throws ConfigError or std::runtime_error, and leaves all as it was.
  void direct_scenario(const nlohmann::json& request);
  void start_scenario(const std::string& text, const std::string& name);
  void stop_scenario();
  void measure_delays(const Scenario& scenario);
  /// Has `standing` of these keys, as it was before the scenario that was asked for.
  void remember(const std::vector<std::string>& values);
  [[nodiscard]] nlohmann::ordered_json scenario_json() const;
  void set_values(const std::vector<std::string>& values) override;
  std::vector<std::string> standing(const std::vector<std::string>& values) override {
    return document_.standing(values);
  }
  void take_back(const std::vector<std::string>& before) override;
  void pause_for(Nanoseconds length) override;
  void marked(const std::string& mark, SimTime at) override;
  void settle() override;
  std::vector<LinkSample> links(const LinkChoice& choice) override;
  void measure_delay(std::size_t item, const LinkChoice& links) override;
  std::optional<DelaySample> measured_delay(std::size_t item, double share) override;
  void judged(const Expectation& expectation, const std::string& failure) override;
  void window_began(SimTime from) override;
  void table_published(SimTime at) override;
  void station_came(const StationNews& news) override;

  // Of a gateway of a site.
  struct PreparedChange {
    std::string command;
    ConfigDocument document;
    std::uint64_t files = 0;
    std::uint64_t digest = 0;
    std::optional<SimTime> from;  // nothing: it may not come
  };
  void join_site(FileDescriptor bus);
  void share_air();
  void hear_site(BusKind kind, std::uint32_t gateway, std::string_view text);
  void look_who_is_here();
  /// The simulation is another from here on: that of the other gateways. What is on its way goes on.
  void begin_anew(Simulation simulation, const RunBegin& begin);
  void begin_record();
  /// False: the command is not one that all gateways carry out.
  bool ask_site(const nlohmann::json& request, ControlServer::Answer answer);
  void reload_site();
  std::uint64_t prepare(const SiteChange& change) override;
  const PreparedChange& prepare(const std::string& command, ConfigDocument document);
  void forget() override;
  void await(SimTime from) override;
  [[nodiscard]] SimTime soon() const override;
  void take_site_change(SimTime from);
  /// What was wrong.
  std::string make_prepared();
  bool catch_up(const SiteCommands::Standing& standing);
  /// Of the configuration in force.
  [[nodiscard]] std::uint64_t digest() const;
  nlohmann::json site_state();

  const KnownNames known_;
  const RunIdentity identity_;
  Configuration configuration_;
  ConfigDocument document_;
  std::string world_;  // world_of() these, as of when the simulation was made
  asio::io_context context_;
  asio::signal_set signals_;
  asio::signal_set reload_signal_;
  asio::steady_timer discipline_timer_;
  asio::steady_timer alive_timer_;
  TscClock tsc_;
  HostTime started_;
  ControlServer control_;  // before what takes ports: it says that a run of this name is there
  Simulation simulation_;
  RobotSlots slots_;
  RunClock clock_;  // before the plane, whose loops may go by it
  std::unique_ptr<DataPlane> plane_;
  Captures captures_;
  TimeServer time_server_;
  RunObservers observers_;
  Windows windows_;
  Telemetry telemetry_;
  EventFeed events_;
  PortWatch port_watch_;
  ConditionWatch conditions_;
  Recorder recorder_;
  ServiceNotify service_;
  AirMeter air_meter_;
  std::uint64_t last_heartbeat_ = 0;
  std::string failure_;                     // why the run cannot continue
  std::optional<ScenarioPlayer> scenario_;  // nothing: there is none
  /// Of a scenario that was asked for while the run went on.
  struct AskedScenario {
    SimTime begin{};
    std::vector<std::string> before{};  // what stood under the keys that it has changed
  };
  std::optional<AskedScenario> asked_;  // nothing: the scenario, where there is one, is the run's own
  std::shared_ptr<DelayMeter> delays_;  // null: nobody asks for them
  asio::steady_timer resume_timer_;     // of a scenario's pause
  std::uint64_t files_ = 0;             // files_digest(), of a site
  std::optional<PreparedChange> prepared_;
  asio::steady_timer digests_timer_;  // until frames by the last configuration have come
  std::optional<SiteCommands> site_;  // nothing: the gateway is alone
  std::optional<SiteRejoin> rejoin_;  // likewise
  std::optional<SiteAir> air_;        // of a site whose simulators are programs of their own
  std::vector<bool> here_;            // by gateway, as of the last look: one air with this one
};

}  // namespace hilgate
