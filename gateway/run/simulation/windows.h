// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/events/run_observer.h"
#include "gateway/run/simulation/parked_packets.h"
#include "gateway/run/simulation/simulators.h"
#include "gateway/run/simulation/site_air.h"
#include "gateway/run/windows/window_engine.h"
#include "gateway/run/windows/window_timer.h"
#include "host/processors.h"
#include "netsim_link/air_plan.h"
#include "netsim_link/link_state.h"
#include "path/data_plane.h"
#include "path/fate/table_robots.h"
#include "physics_link/feeds/feed_sockets.h"

namespace hilgate {

// What stations have been through: at which access point they are, how often they changed it, how long they had none.

/// Control thread. Goes by names, so that changes of the configuration do not matter.
class Stations {
 public:
  struct Record {
    Attachment::State state = Attachment::State::kAttached;
    std::string access_point;  // that it is at, or was at last; empty: at none yet
    std::uint64_t handovers = 0;
    Nanoseconds without{0};       // sim time without an access point, all in all
    Nanoseconds without_now{0};   // likewise, of the break at hand; 0 at an access point
    Nanoseconds without_most{0};  // the longest break so far
  };

  /// Takes a new table in, of which `roles` are the robots'. Returns a line for each station that has come to an access
  /// point or is in reach of none any more.
  std::vector<StationNews> take(const Configuration& configuration, const std::vector<AirRole>& roles,
                                const LinkTable& table);

  /// Of a robot's name; as new for a robot that has been no station.
  [[nodiscard]] Record of(const std::string& robot) const;

 private:
  static StationNews follow(Record& record, Attachment::State now, const std::string& access_point);

  std::map<std::string, Record> records_;
  SimTime at_{};
};

/// A window that begins later has a cause worth a name.
inline constexpr Nanoseconds kLateStart{100'000};

/// How well windows kept their instants.
struct WindowReport {
  std::uint64_t published = 0;   // link tables made, or those before them valid for a window as they were
  std::uint64_t missed = 0;      // windows without a table of their own: the last one stayed in force
  Nanoseconds last_lateness{0};  // of the last table: publication after its boundary
  Nanoseconds most_lateness{0};
  Nanoseconds last_compute{0};  // from the window's beginning to its table: scene and link states
  Nanoseconds most_compute{0};
  // That began more than kLateStart after their instants, by whether the thread waited for a processor or was at work.
  std::uint64_t late_by_processor = 0;
  std::uint64_t late_by_own_work = 0;
  std::string last_event;  // last event of a link to a simulator
};

/// The window engine of a running gateway: scenes and link states to the packet loop, parked frames to the network
/// simulator and its verdicts back. Control thread.
class Windows final : private WindowSink {
 public:
  /// Windows are scheduled on `timeline` and woken by `timer`; `robots` have their slots in `plane`. `observer` is
  /// notified of events. `ended(why)` is called once, when the engine stops; `why` is empty when it was asked to.
  Windows(asio::io_context& context, const Configuration& configuration, const Simulation& simulation, DataPlane& plane,
          const TableRobots& robots, WindowTimeline& timeline, WindowTimer& timer, RunObserver& observer,
          std::function<void(const std::string&)> ended);

  /// Publishes the initial link table: before packet loops run.
  void publish_first();
  /// Opens the simulators, whose windows begin when they are ready: at once where they are the gateway's own, so the
  /// thread must have time for them from here on. Throws std::runtime_error for sockets that cannot be had.
  void start();
  /// Links come from the air of a site, to which this gateway's simulators are added. Before start(); outlives this.
  void share(SiteAir& air) { air_ = &air; }
  void stop() { engine_.stop(""); }
  /// Physics' own clock was received outside of its simulator's answers.
  void note_physics_clock(SimTime physics) { engine_.note_physics_clock(physics); }
  /// The timeline has changed.
  void reschedule() { engine_.reschedule(); }
  /// As WindowEngine's.
  void attend_by(SimTime instant) { engine_.attend_by(instant); }

  /// Continues with another simulation and window from the next boundary on; `table` is the state of the air until
  /// then, and `robots` has their slots.
  void change(const Simulation& simulation, Nanoseconds window, const LinkTable& table, const TableRobots& robots);

  /// Continues with another simulation of the same robots, from this window on; until it begins the air stays as it is.
  void begin_anew(const Simulation& simulation, const RunBegin& begin);

  [[nodiscard]] const WindowReport& report() const { return report_; }
  [[nodiscard]] const WindowEngine& engine() const { return engine_; }
  [[nodiscard]] const ParkedPackets& packets() const { return packets_; }
  /// Where positions are pushed to; null with physics of another kind.
  [[nodiscard]] const PositionFeed* feed() const { return simulators_.feed; }
  /// The last ones; the scene is null before the first.
  [[nodiscard]] const Scene* scene() const { return engine_.scene(); }
  [[nodiscard]] const LinkTable& table() const { return table_; }
  [[nodiscard]] const Stations& stations() const { return stations_; }
  /// Where the window at hand began, in sim time.
  [[nodiscard]] SimTime now() const { return engine_.window_begin(); }

 private:
  void window_began(const WindowStart& start) override;
  void links(LinkTable& table) override;
  void verdicts(std::span<const Verdict> verdicts, std::span<const std::uint64_t> forgotten) override;
  void expired(std::span<const std::uint64_t> packets) override { packets_.expired(packets); }
  void ended(const std::string& why) override;
  void use(LinkTable& table);
  void share_air(const WindowStart& start);
  void use_own_links(const Simulation& simulation);
  void publish_own(const WindowStart& start);
  /// The simulators answer, so that what is computed from their answers is current.
  [[nodiscard]] bool are_heard() const;
  void hear_physics_clock(std::string_view line);
  void note_start();
  void note_table();
  void note(const ConnectionEvent& event);

  const Configuration& configuration_;
  DataPlane& plane_;
  std::size_t modes_;
  std::vector<AirRole> roles_;  // AirPlan's
  RunObserver& observer_;
  std::function<void(const std::string&)> over_;
  WindowTimer& timer_;
  Simulators simulators_;
  ParkedPackets packets_;
  WindowEngine engine_;
  std::optional<LineServer> physics_clock_;  // pace follow, from a socket of its own
  Netsim* own_links_ = nullptr;              // of radios, next to a simulator that judges packets of others; else null
  LinkTable own_;                            // their table, to be published
  SiteAir* air_ = nullptr;                   // null: links are those of the own simulators
  LinkTable shared_;                         // its links
  LinkTable said_;                           // last, by a network simulator of its own process; empty: no links
  std::uint64_t ended_ = 0;                  // windows of it, as of the last one that began
  std::uint64_t window_ = 0;                 // at hand
  HostTime at_{};                            // its instant
  HostTime began_{};                         // when it really began
  ProcessorWait processor_wait_;
  Nanoseconds waited_{0};  // processor_wait_ when it began
  std::uint64_t last_table_ = 0;
  LinkTable table_;
  Stations stations_;
  WindowReport report_;
};

}  // namespace hilgate
