// SPDX-License-Identifier: Apache-2.0
// The window engine: physics, network and real packets advance together, window by window.
//
// ROS-NetSim's Algorithm 1 is lag_one_window with whole steps; DANCERS' decoupled time-stepping is lag_one_window with
// steps that divide the window. Messages between the simulators change hands at the barrier between two windows, from
// one buffer to the other: which answer a step sees never depends on which was quicker.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gateway/run/windows/span_histogram.h"
#include "gateway/run/windows/verdict_desk.h"
#include "gateway/run/windows/window_options.h"
#include "gateway/run/windows/window_timeline.h"
#include "gateway/run/windows/window_timer.h"
#include "netsim_link/network_simulator.h"
#include "physics_link/physics_simulator.h"

namespace hilgate {

/// A window that begins. Pointers are valid during the call and null while there is nothing yet.
struct WindowStart {
  std::uint64_t window = 0;
  SimTime from{};
  HostTime at{};                // the instant it stands for; in lockstep, now
  std::uint64_t unchanged = 0;  // windows before it that passed with the state before them, by WindowOptions
  const Scene* scene = nullptr;
};

/// Who acts on what the simulators decided. Called on the control thread.
class WindowSink {
 public:
  virtual ~WindowSink() = default;
  WindowSink() = default;
  WindowSink(const WindowSink&) = delete;
  WindowSink& operator=(const WindowSink&) = delete;

  virtual void window_began(const WindowStart& start) = 0;
  /// New link states, for the window at hand. The table may be swapped out.
  virtual void links(LinkTable& table) = 0;
  /// Verdicts as the network simulator ends a step, and ids of packets that get no further verdict: their frames can
  /// be freed once the releases asked for have happened.
  virtual void verdicts(std::span<const Verdict> verdicts, std::span<const std::uint64_t> forgotten) = 0;
  /// Ids of packets that waited too long, likewise.
  virtual void expired(std::span<const std::uint64_t> packets) = 0;
  /// The run is over; `why` is empty when it ended as configured.
  virtual void ended(const std::string& why) = 0;
};

struct SimulatorStats {
  std::uint64_t windows = 0;  // ended
  std::uint64_t skipped = 0;  // by Recovery::kSkip, or because windows have another length meanwhile
  std::uint64_t missed = 0;   // deadlines that passed without the END
  SpanHistogram late;         // of the windows that ended after their deadline: by how much
  SpanHistogram round_trip;   // of every step, BEGIN to END
  [[nodiscard]] double late_share() const {
    return windows > 0 ? static_cast<double>(late.count()) / static_cast<double>(windows) : 0.0;
  }
};

class WindowEngine {
 public:
  /// Everything must outlive the engine. Throws std::runtime_error for options that make no sense.
  WindowEngine(const WindowOptions& options, WindowTimer& timer, PhysicsSimulator& physics, NetworkSimulator& network,
               PacketSource& packets, WindowSink& sink);

  /// Opens both simulators; the first window begins when both are ready. Throws what their open() throws.
  void start();
  /// Ends the run, in good order: simulators that are computing are waited for, up to 2 s. Safe from any callback.
  void stop(const std::string& why);

  /// Schedules windows, instead of at an even pace from the moment both simulators are ready: for a clock that is
  /// disciplined from outside. Must outlive the engine. Call before start().
  void follow(WindowTimeline& timeline) { timeline_ = &timeline; }
  /// The timeline has changed: the next boundary has moved, or simulation time was paused or continued.
  void reschedule();

  /// The window in which this instant lies, or that begins there, begins on its own, even where nothing changes in it.
  void attend_by(SimTime instant) { attend_by_ = instant; }

  /// Windows of another length from the next boundary on, and perhaps of other simulators. Requires some that take one
  /// step a window, of any length.
  void change_window(Nanoseconds length);

  /// Replaces the current simulation by another: its first window is `window`, which begins at `begin` and at the
  /// instant given by the timeline of follow(), which has been updated. Requires simulators that answer at once; not
  /// from within their answers or a sink.
  void begin_anew(std::uint64_t window, SimTime begin);

  /// The window at hand, and where it begins.
  [[nodiscard]] std::uint64_t window() const;
  [[nodiscard]] SimTime window_begin() const { return begin_of(window()); }
  [[nodiscard]] bool running() const { return running_; }
  /// Ends for good: windows stand, and simulators that compute a step may still answer it.
  [[nodiscard]] bool stopped() const { return stopped_; }
  /// What the network simulator works on; null until physics has answered.
  [[nodiscard]] const Scene* scene() const {
    return to_network_.given.scene.robots.empty() ? nullptr : &to_network_.given.scene;
  }
  [[nodiscard]] const SimulatorStats& physics_stats() const { return physics_side_.stats; }
  [[nodiscard]] const SimulatorStats& network_stats() const { return network_side_.stats; }
  /// Both simulators have been there.
  [[nodiscard]] bool simulators_came() const { return physics_side_.ready && network_side_.ready; }
  /// Since when a simulator owes an answer; nothing when it does not.
  [[nodiscard]] std::optional<HostTime> physics_asked() const { return asked(physics_side_); }
  [[nodiscard]] std::optional<HostTime> network_asked() const { return asked(network_side_); }
  [[nodiscard]] const VerdictStats& verdict_stats() const { return desk_.stats(); }
  /// As PacketLedger's.
  [[nodiscard]] const std::optional<PacketLedger::Ends>& last_expired() const { return desk_.last_expired(); }
  /// How late windows began, against their instants.
  [[nodiscard]] const SpanHistogram& boundaries() const { return boundaries_; }
  /// Between the run's clock and the host's, in the paces that have one; requires a run that has begun.
  [[nodiscard]] HostTime host_at(SimTime instant) const { return timeline_->host_at(instant); }
  [[nodiscard]] SimTime sim_at(HostTime instant) const { return timeline_->sim_at(instant); }
  /// The same for the packet path's time, clock/servo/sim_clock.h.
  [[nodiscard]] HostTime path_at(SimTime instant) const { return timeline_->path_at(instant); }
  [[nodiscard]] SimTime sim_at_path(HostTime path) const { return timeline_->sim_at_path(path); }
  /// Physics' own clock was received outside its answers.
  void note_physics_clock(SimTime physics);
  [[nodiscard]] Nanoseconds causality_floor() const { return options_.causality_floor(); }

 private:
  struct Side {
    const char* name;
    Nanoseconds step;
    std::uint64_t steps;  // in a window
    bool ready = false;
    bool busy = false;
    std::uint64_t next_window = 0;  // the one it works on, or will next
    std::uint64_t steps_done = 0;   // of next_window
    std::uint64_t begins = 0;       // its next step's number, as if it had been there since simulation time 0
    HostTime begun{};
    SimTime deadline{};  // of the window it works on
    SimulatorStats stats{};
  };
  template <class Words>
  struct HandOver {  // two buffers: one side writes `made`, the other reads `given`
    Words made{}, given{};
    bool made_fresh = false, made_whole = false, given_fresh = false;
    void change_hands();
  };
  struct PhysicsWords {
    Scene scene;
    PeerPayload payload;
  };

  [[nodiscard]] static std::optional<HostTime> asked(const Side& side) {
    return side.busy ? std::make_optional(side.begun) : std::nullopt;
  }
  void note_ready(Side& side);
  void join_late(Side& side);
  void fail(const Side& side, const std::string& why);
  void finish_when_answered();
  void finish();
  void pump();
  void begin_at(HostTime instant);
  void begin_run();
  void start_window(std::uint64_t window);
  void wake_at_boundary();
  void wake_at(std::uint64_t window);
  void boundary();
  void pass_unchanged();
  void take_unchanged();
  [[nodiscard]] std::uint64_t window_after_boundary() const;
  void note_missed(Side& side);
  bool may_begin(Side& side);
  bool network_must_wait() const;
  Step next_step(Side& side);
  bool end_step(Side& side);
  void begin_physics();
  void physics_ended(PhysicsAnswer& answer);
  void keep_words(PhysicsAnswer& answer);
  void begin_network();
  void network_ended(NetworkAnswer& answer);
  void tell_timeline();
  [[nodiscard]] bool lockstep() const { return options_.pace == Pace::kLockstep; }
  [[nodiscard]] HostTime boundary_at(std::uint64_t window) const { return host_at(begin_of(window)); }
  [[nodiscard]] SimTime begin_of(std::uint64_t window) const;
  void take_next_length(std::uint64_t window);
  void leave_other_lengths(Side& side) const;

  WindowOptions options_;
  WindowTimer& timer_;
  PhysicsSimulator& physics_;
  NetworkSimulator& network_;
  WindowSink& sink_;
  VerdictDesk desk_;
  Side physics_side_;
  Side network_side_;
  HandOver<PhysicsWords> to_network_;
  HandOver<PeerPayload> to_physics_;
  LinkTable links_;
  bool links_fresh_ = false;
  EvenTimeline even_;
  WindowTimeline* timeline_ = &even_;
  // Where the windows of this length began.
  SimTime origin_sim_;
  std::uint64_t origin_window_;
  std::optional<Nanoseconds> next_length_;
  std::uint64_t current_;  // the last one that began here
  std::uint64_t next_;     // whose beginning is waited for; those between pass unchanged
  SimTime attend_by_ = SimTime::max();
  std::uint64_t unchanged_ = 0;  // windows that did, since the last one that began here
  SpanHistogram boundaries_;
  bool running_ = false;
  bool stopped_ = false;
  bool finished_ = false;
  std::string why_;  // it stopped
  bool pumping_ = false;
  bool pump_again_ = false;
};

}  // namespace hilgate
