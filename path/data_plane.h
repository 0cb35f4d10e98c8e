// SPDX-License-Identifier: Apache-2.0
// The control thread's view of the packet path, whatever kind of ports it runs on.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clock/servo/sim_clock.h"
#include "clock/servo/window_clock.h"
#include "frame/address.h"
#include "frame/counters.h"
#include "frame/departures/port_stamps.h"
#include "host/interface_watch.h"
#include "netsim_link/link_state.h"
#include "path/idle_wait.h"
#include "path/observer/event_ring.h"
#include "path/ports/port_plan.h"
#include "path/settings/path_settings.h"
#include "path/settings/tap.h"
#include "path/site_report.h"
#include "path/verdicts/verdict_rings.h"

namespace hilgate {

/// Frames that were lost outside the packet path, by cause.
using FrameLosses = std::vector<std::pair<std::string, std::uint64_t>>;

inline std::uint64_t total(const FrameLosses& losses) {
  std::uint64_t sum = 0;
  for (const auto& [cause, frames] : losses) {
    sum += frames;
  }
  return sum;
}

/// Bytes of a serial line, since the start. Of what the path has no frames.
struct LineLosses {
  std::uint64_t in = 0;        // that its terminal has brought
  std::uint64_t overflow = 0;  // of these, lost because the modem's buffer was full
  std::uint64_t closed = 0;    // that the radio received and nobody took, because nobody had the terminal open
  bool has_flow = false;       // flow control: the terminal waits where the buffer is full

  [[nodiscard]] std::uint64_t lost() const { return overflow + closed; }
};

/// What timestamps the frames that come in by a port.
struct ArrivalTimestamps {
  std::string source = "loop";            // driver, kernel or loop
  std::string clock = "the packet loop";  // for people: whose clock it is, e.g. "the XDP program"
  std::string problem{};                  // why it is not the driver; empty when it is
  std::uint64_t count = 0;                // frames by the driver's timestamp
  std::uint64_t missing = 0;              // without one, though others have one: by what comes next
  std::uint64_t unusable = 0;             // with one that cannot be true: likewise
  Nanoseconds margin{0};                  // how far one may be from the packet loop's clock
};

/// What a port reports about itself, for people.
struct PortReport {
  std::string name;
  std::string interface;
  std::string state = "up";  // up, no carrier, down, absent, refused
  std::string problem{};     // why it is not up
  std::uint32_t mtu = 0;     // of the interface, bytes; 0: unknown
  std::string driver;        // e.g. "af_xdp"
  std::string mode;          // e.g. "native, copy"
  ArrivalTimestamps arrivals{};
  StampStatistics departures{};
  std::string send_on_timestamp{};  // of a DPDK device: whether it has the offload, available or none
  std::uint32_t largest_frame = 0;  // bytes without FCS
  /// What the port and the kernel count, by name.
  std::vector<std::pair<std::string, std::uint64_t>> counts{};
  /// Of these, frames that the path never saw, and frames that it released and that were not received. No frame is in
  /// two causes.
  FrameLosses lost_at_capture{};
  FrameLosses lost_at_sending{};
  LineLosses line{};  // of a serial line
};

/// Frames lost outside the path at all ports, and bytes of serial lines.
struct LostBeside {
  explicit LostBeside(std::span<const PortReport> ports) {
    for (const PortReport& port : ports) {
      at_capture += total(port.lost_at_capture);
      at_sending += total(port.lost_at_sending);
      line_bytes += port.line.lost();
    }
  }

  std::uint64_t at_capture = 0;
  std::uint64_t at_sending = 0;
  std::uint64_t line_bytes = 0;
};

/// A port that came or went, or is as it was with another problem or MTU.
struct PortChange {
  PortReport now;
  bool plugged = false;      // frames get through to its robots
  bool was_plugged = false;  // through the same interface
};

/// The last sender on a port whose address is no robot's.
struct UnknownSenderReport {
  std::string port;
  MacAddress mac;
  std::uint64_t frames = 0;  // dropped as kUnknownSender on that port, since the last change of settings
};

/// One thread of the path.
struct LoopReport {
  std::optional<std::uint32_t> cpu;  // pinned to it
  bool real_time = false;            // its thread's priority
  IdleReport idle{};
  Nanoseconds stalled{0};  // since the start: what iterations and sleeps took beyond kStall
};

/// All calls on the control thread.
class DataPlane {
 public:
  virtual ~DataPlane() = default;
  DataPlane() = default;
  DataPlane(const DataPlane&) = delete;
  DataPlane& operator=(const DataPlane&) = delete;

  /// A new state of the air, of as many robots as the newest settings have.
  virtual void publish(const LinkTable& table) = 0;
  /// Switches to new settings and ports, with `first` as the state of the air, between two iterations of the loop;
  /// frames in flight keep their fates, but those to ports that go are dropped as kPortRemoved. Settings and ports have
  /// the slots of those before. False, and nothing changed, when the loop does not answer within `patience`. Throws
  /// std::runtime_error, and nothing changed, when a new port cannot be one.
  virtual bool change(const PathSettings& settings, const PortPlan& ports, const LinkTable& first,
                      std::chrono::milliseconds patience) = 0;
  /// Orders for frames that wait for verdicts, and notices of such frames.
  virtual VerdictRings& verdicts() = 0;
  /// Hands out what was overheard since the last call, core by core; each core's in the order of capture.
  virtual void overheard(const std::function<void(const Overheard&)>& each) = 0;
  /// Frames lost because the tap ring was full.
  [[nodiscard]] virtual std::uint64_t missed() const = 0;
  /// Sends a frame of up to Injection::kBytes by a port, past the air. False when too many wait to be sent.
  virtual bool inject(PortSlot port, VlanId vlan, std::span<const std::byte> frame) = 0;
  /// The loops say what happens to each frame, each into a ring of its own (loops()), and the kernel decides no link;
  /// without rings they stop. When this has returned true, the loops know the rings that were there before no more.
  virtual bool observe(const std::vector<EventRing*>& rings, std::chrono::milliseconds patience) = 0;
  /// About every 100 ms, after the TSC's: clocks that ports have of their own.
  virtual void discipline() = 0;
  /// Checks ports whose interfaces changed, by name or number, and those that are not up: takes interfaces that
  /// appeared, releases those that are gone. All other ports continue undisturbed. Returns what is new.
  virtual std::vector<PortChange> attend(const InterfaceChanges& changes) = 0;
  /// Path time goes by `pace` (clock/servo/sim_clock.h), null for host time. Before start().
  virtual void pace_by(const PathPace* pace) = 0;
  /// Path time goes at another rate: loops that sleep until a release look again.
  virtual void repace() = 0;
  /// Of a gateway of a site: its clock, which outlives the loops. Before start().
  virtual void join_site(const WindowClock&) {}
  /// Likewise, when simulation time was 0, by that clock; nothing while it has not begun.
  virtual void set_site_zero(std::optional<WallTime>) {}
  /// By which configurations frames of other gateways are taken.
  virtual void set_site_digests(const SiteDigests&) {}
  /// Of a site whose network simulator decides each frame: the gateway that has it; nothing: frames are dropped.
  virtual void set_site_author(std::optional<std::uint32_t>) {}
  /// What is known of the other gateways; nothing without a site.
  [[nodiscard]] virtual std::optional<SiteReport> site() const { return std::nullopt; }
  /// Starts the loop. The feed must have been given its first table.
  virtual void start() = 0;
  /// Stops the loop; what is held is dropped as kShutdown. Idempotent.
  virtual void stop() = 0;
  /// Totals as they were at the end of one iteration of the loop; nothing when the loop did not answer within
  /// `patience`.
  virtual std::optional<PathTotals> snapshot(std::chrono::milliseconds patience) = 0;
  /// Iterations of the loop: constant while the loop is stalled.
  [[nodiscard]] virtual std::uint64_t heartbeat() const = 0;
  /// Of the link between two slots (PathSettings::robots), since the later of them was given to its robot.
  [[nodiscard]] virtual LinkCounts counts(LinkSlot link) const = 0;
  /// By domain of the newest settings' air (AirPlan::domains).
  [[nodiscard]] virtual std::vector<AirUse> air_use() const = 0;
  /// Payload that waits in the transmit queue of a link's sender, bytes; of radios behind serial ports.
  [[nodiscard]] virtual std::uint64_t queued_bytes(LinkSlot link) const = 0;
  /// By PortIndex of the newest configuration.
  [[nodiscard]] virtual std::vector<PortReport> ports() const = 0;
  /// Of ports with frames from other senders than robots since the last change of settings.
  [[nodiscard]] virtual std::vector<UnknownSenderReport> unknown_senders() const = 0;
  /// How much of the buffer of a modem at a serial line is free, percent; empty: the port has none.
  [[nodiscard]] virtual std::optional<std::uint8_t> free_percent(PortSlot port) const = 0;
  /// Whether the kernel connects the robots, past the path (`hilgate wire on`).
  [[nodiscard]] virtual bool wired() const = 0;
  [[nodiscard]] virtual std::vector<LoopReport> loops() const = 0;
  /// Memory reserved for frames and tables, bytes.
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Additional memory of the kernel for the ports' sockets, approximate, bytes.
  [[nodiscard]] virtual std::size_t kernel_memory() const = 0;
};

}  // namespace hilgate
