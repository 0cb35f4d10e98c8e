// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/tsc_clock.h"
#include "gateway/configuration/document/config_document.h"
#include "gateway/daemon/change.h"
#include "gateway/daemon/site_commands.h"
#include "gateway/daemon/site_rejoin.h"
#include "gateway/run/control/control_server.h"
#include "gateway/run/events/run_observer.h"
#include "gateway/run/simulation/site_air.h"
#include "gateway/run/simulation/windows.h"
#include "gateway/run/telemetry/telemetry.h"
#include "gateway/run/time/run_clock.h"
#include "host/control_clock.h"
#include "path/data_plane.h"

namespace hilgate {

/// A running gateway as a member of its site: changes of the air are made by all gateways with the same window, or by
/// none. Control thread.
class SiteMemberRun final : private SiteMember, public RunObserver {
 public:
  /// The gateway; all of it outlives this.
  struct Run {
    RunningConfiguration& running;
    DataPlane& plane;
    Windows& windows;
    RunClock& clock;
    TscClock& tsc;
    Telemetry& telemetry;
    RunObserver& observers;
    ConfigChange& change;
    std::function<std::string()> clock_state;  // as in the status document
    /// The gateway's record ends before, and begins with the simulation that begins anew.
    std::function<void()> end_record, begin_record;
    std::function<void()> began_anew;
    BackgroundWork background;  // as DaemonHost's
  };

  /// `bus` as of make_bus_ends(). Before the windows start.
  SiteMemberRun(asio::io_context& context, FileDescriptor bus, Run run);

  /// Sends the other gateways this one's state, from now on each second.
  void start() { commands_.start(); }
  /// To be called each 100 ms.
  void look();
  /// The configuration has changed.
  void changed() { rejoin_.changed(); }
  /// False: the command is not one that all gateways carry out.
  bool handle(const nlohmann::json& request, ControlServer::Answer answer);
  /// As the command `reload`; a refusal goes to the log.
  void reload();
  /// What the gateways have said to one another.
  void add_to(SiteStatus& site) const;
  [[nodiscard]] std::optional<SiteRejoining> rejoining() const { return rejoin_.rejoining(); }
  /// SiteAir::silence(); absent also where the site's simulators are embedded.
  [[nodiscard]] std::optional<std::string> silence() const;

  void window_began(SimTime from) override;

 private:
  struct PreparedChange {
    std::string command;
    ConfigDocument document;
    std::uint64_t files = 0;
    std::uint64_t digest = 0;
    std::optional<SimTime> from;  // absent: whether it is made is not agreed yet
  };

  [[nodiscard]] SiteCommands::Run commands_run();
  [[nodiscard]] SiteRejoin::Run rejoin_run();
  void share_air();
  void receive(BusKind kind, std::uint32_t gateway, std::string_view text);
  void note_reachable();
  /// Continues with the simulation of the other gateways. Frames in flight are not touched.
  void begin_anew(Simulation simulation, const RunBegin& begin);
  std::uint64_t prepare(const SiteChange& change) override;
  const PreparedChange& prepare(const std::string& command, ConfigDocument document);
  void forget() override;
  void await(SimTime from) override;
  [[nodiscard]] SimTime soon() const override;
  /// Returns what was wrong; empty: the change was made.
  std::string apply_prepared();
  bool catch_up(const SiteCommands::Standing& standing);
  /// Of the configuration in force.
  [[nodiscard]] std::uint64_t digest() const;
  nlohmann::json state();

  Run run_;
  std::uint64_t files_;  // files_digest()
  std::optional<PreparedChange> prepared_;
  ControlTimer digests_timer_;  // until frames decided by the last configuration have arrived
  SiteCommands commands_;
  SiteRejoin rejoin_;
  std::optional<SiteAir> air_;   // of a site whose simulators are programs of their own
  std::vector<bool> reachable_;  // by gateway, as of the last look()
};

}  // namespace hilgate
