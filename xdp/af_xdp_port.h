// SPDX-License-Identifier: Apache-2.0
// A network interface as a port of the gateway, through AF_XDP: frames arrive stamped by our XDP program, in memory
// shared by all ports, and are sent from there without a copy.
//
// The interface may come and go. The control thread looks at it (attend()), closes it with the program before it is up,
// and hands the packet loop the sockets of an interface that is up, or takes them away: the packet loop adopts the
// change at its next capture(). No lock: one word holds what is given, another what is in use.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "clock/tsc_clock.h"
#include "frame/frame.h"
#include "frame/port_config.h"
#include "xdp/interface.h"
#include "xdp/release_stamps.h"
#include "xdp/stamp_clock.h"
#include "xdp/xdp_program.h"
#include "xdp/xsk_session.h"
#include "xdp/xsk_socket.h"

namespace hilgate {

/// What a port turned out to be.
struct AfXdpMode {
  std::string driver;
  bool native = false;              // the program runs in the driver; else in the kernel's stack (generic)
  bool zero_copy = false;           // the NIC writes into our memory; else the kernel copies
  bool multi_buffer = false;        // frames may be longer than a chunk
  std::uint32_t queues = 1;         // rx queues, each with a socket
  std::uint32_t largest_frame = 0;  // bytes, without FCS
  std::string fallback_reason;      // why it is generic, when it need not be
  std::string vlan_offloads_off;    // what the port has turned off, so that tags are among the bytes of frames
};

/// Whether frames get through to the robots of a port.
enum class PortState : std::uint8_t {
  kUp,
  kNoCarrier,  // the interface is up, but the cable or its other end is not
  kDown,       // the interface was set down
  kAbsent,     // there is no interface of the port's name
  kRefused,    // it is there and cannot be a port; see PortLink::problem
};

struct PortLink {
  PortState state = PortState::kAbsent;
  std::string problem{};   // empty without one
  std::uint32_t mtu = 0;   // bytes, without the Ethernet header; 0: absent
  unsigned interface = 0;  // its number; 0: absent
  friend bool operator==(const PortLink&, const PortLink&) = default;
};

/// What became of frames around the port, since it was made.
struct AfXdpStatistics {
  XdpCounters program;
  SocketStatistics sockets;
  std::uint64_t captured = 0;
  std::uint64_t released = 0;
  std::uint64_t oversize = 0;
  std::uint64_t stamped_late = 0;
  std::uint64_t lost_at_send = 0;
};

/// What timestamps the arrival of frames.
enum class ArrivalSource : std::uint8_t {
  kKernel,  // the XDP program, as the driver has it look at the frame
  kDriver,  // the NIC's clock
};

/// The arrivals of a port, since it was made.
struct ArrivalStatistics {
  ArrivalSource source = ArrivalSource::kKernel;
  std::string clock{};         // of the driver's timestamps, e.g. /dev/ptp0; empty without
  std::string problem{};       // why it is not the driver; empty when it is
  Nanoseconds margin{0};       // how far a timestamp of the driver may be from the packet loop's clock
  std::uint64_t count = 0;     // frames by the driver's timestamp
  std::uint64_t missing = 0;   // frames without one: by the kernel's
  std::uint64_t unusable = 0;  // with one that cannot be true: by the kernel's
};

/// A port's entry in the kernel path of its gateway.
struct KernelPort {
  KernelPath* path = nullptr;  // outlives the port
  PortSlot id{};
  bool decides_links = false;  // whether KernelPath::set_link concerns frames from this port
  std::size_t core = 0;        // which of KernelPathConfig::cores beats for it

  /// Frames from other ports go to this interface no more.
  void give_up(const Interface& interface) const {
    if (path != nullptr) {
      path->clear_port(id);
      if (!path->directory().empty()) {
        path->keep_promiscuous(interface.name, false);
      }
    }
  }
  /// Frames from other ports go to this interface. It takes frames for all addresses beyond the process where its
  /// program forwards then.
  void take_part(const Interface& interface, FailMode fail) const {
    if (path != nullptr) {
      path->set_port(id, interface.index);
      if (!path->directory().empty()) {
        path->keep_promiscuous(interface.name, fail == FailMode::kWire);
      }
    }
  }
};

/// Satisfies LaunchPort. capture(), release(), flush() and what a sleeping loop asks belong to one thread, the packet
/// loop; the rest to the control thread.
class AfXdpPort {
 public:
  /// Calls the packet loop of this port, which may sleep. Empty: no loop runs, and the caller acts for it.
  using Wake = std::function<void()>;

  /// A port without its interface, for attend(). `umem` lies over the memory's area and belongs to the port's core;
  /// `lender` is a number of its add_port() that no other port has now. Memory, umem and clock outlive the port.
  AfXdpPort(XskMemory& memory, Umem& umem, std::uint16_t lender, const PortConfig& config, const TscClock& clock,
            const KernelPort& kernel);
  /// A port in use: frames flow from here on. Throws std::runtime_error with the interface, what is wrong and what to
  /// do, also when the interface does not exist.
  AfXdpPort(XskMemory& memory, const PortConfig& config, const TscClock& clock, const KernelPort& kernel = {});
  /// When no loop runs any more. Detaches, gives what was released up to 100 ms to leave, takes all chunks back.
  ~AfXdpPort();
  AfXdpPort(const AfXdpPort&) = delete;
  AfXdpPort& operator=(const AfXdpPort&) = delete;

  // ---- control thread ----

  /// Attaches the program, if the interface is there, and then sets it up: no frame comes in before the program, and
  /// none passes it before attend(). Throws std::runtime_error.
  void close_off();
  /// Looks at the interface and follows it: opens sockets when it is up, closes them when it is down or gone. Throws
  /// std::runtime_error when it cannot be a port; that is its state then, and a later call tries again.
  void attend(const Wake& wake);
  [[nodiscard]] const PortLink& link() const { return link_; }
  /// Whether PTP passes (`ptp: transparent`), which excludes launch time.
  void set_ptp(PtpPassage ptp) { stamps_.set_ptp(ptp); }
  /// About every 100 ms, after the TSC's: compares the clock of the timestamps with it.
  void discipline();

  // For a packet loop that runs while it gets the port, or loses it.

  /// Before the packet loop has the port: all of attend() that can fail, and nothing moves yet. An interface that is
  /// not there is no failure. Throws std::runtime_error.
  void prepare();
  /// Instead of join(), as if the port had never been: frees the interface, or leaves it closed where another run had.
  void cancel();
  /// The packet loop has it: frames flow, if the interface is up. Throws std::runtime_error as attend().
  void join(const Wake& wake);
  /// Ends the port: nothing is captured or released any more, all chunks come back, and the interface is left closed
  /// where the port has a fail mode. Returns when the packet loop has let go of everything but the port itself.
  void leave(const Wake& wake);
  [[nodiscard]] bool takes_from(const Umem& umem) const { return &umem_ == &umem; }
  [[nodiscard]] bool is(unsigned interface) const { return interface_.index == interface; }

  // ---- packet loop ----

  std::size_t capture(std::span<Frame> burst) {
    if (given_.load(std::memory_order_acquire) != current_) {
      adopt();
    }
    return current_ == nullptr || !open_.load(std::memory_order_relaxed) ? 0 : current_->capture(burst);
  }
  bool release(const Frame& frame, HostTime due = kNoDue) { return !unplugged() && current_->release(frame, due); }
  void flush();
  [[nodiscard]] Nanoseconds launch_lead() const {
    return current_ != nullptr ? current_->launch_lead() : Nanoseconds{0};
  }
  /// Nothing released would reach a robot.
  [[nodiscard]] bool unplugged() const {
    return current_ == nullptr || !open_.load(std::memory_order_relaxed) || !carrier_.load(std::memory_order_relaxed);
  }

  /// leave() has begun.
  [[nodiscard]] bool removed() const { return removed_.load(std::memory_order_relaxed); }

  // For a loop that sleeps while nothing arrives.

  /// each(descriptor) for the sockets: readable while frames wait to be captured.
  template <class Each>
  void each_arrival_fd(Each each) const {
    if (current_ != nullptr) {
      current_->each_socket([&each](std::uint32_t, int socket) { each(socket); });
    }
  }
  [[nodiscard]] bool arrivals_wake() const { return true; }
  /// Frames wait for the kernel to take them, the kernel lacks chunks to receive into, or sockets come or go.
  [[nodiscard]] bool unfinished() const {
    return given_.load(std::memory_order_relaxed) != current_ || closed_.load(std::memory_order_relaxed) != nullptr ||
           (current_ != nullptr && current_->unfinished());
  }

  // ---- any thread but while attend() runs ----

  [[nodiscard]] const AfXdpMode& mode() const { return mode_; }
  [[nodiscard]] const Interface& interface() const { return interface_; }
  [[nodiscard]] AfXdpStatistics statistics() const;
  [[nodiscard]] StampStatistics stamps() const;
  [[nodiscard]] ArrivalStatistics arrivals() const;

 private:
  void follow(const Wake& wake);
  void take(const Interface& found);
  void open_clocks();
  void let_go();
  void tell_own_names();
  void plug(const Wake& wake);
  void open_sockets();
  [[nodiscard]] std::string no_launch_time() const;
  void give_sockets(const Wake& wake);
  bool unplug(const Wake& wake);
  bool has_left(const Wake& wake);
  bool hand_over(XskSession* session, const Wake& wake);
  void adopt() noexcept;
  void give_back() noexcept;

  XskMemory& memory_;
  Umem& umem_;
  const TscClock& tsc_;
  PortConfig config_;
  KernelPort kernel_;
  std::uint16_t lender_;
  Interface interface_;  // as of the last look
  PortLink link_;
  std::string vlan_offloads_off_;  // see AfXdpMode
  std::string down_problem_;       // what there is to say when the interface is down
  InterfaceNames names_;
  AfXdpMode mode_;
  std::unique_ptr<XdpProgram> program_;  // of the interface, as long as that is there
  FileDescriptor promiscuous_;
  std::unique_ptr<XskSession> session_;  // as long as the interface is up
  std::unique_ptr<XskSession> leaving_;  // the last one, until its chunks are back
  XdpCounters past_program_;             // of programs before
  SocketStatistics past_sockets_;
  PortCounters counters_;
  PortStamps stamps_;
  std::string no_launch_time_{"the port has not been up yet"};  // why not; empty: its sockets may use it
  std::optional<StampClock> stamp_clock_;                       // of session_, and of the last one when that is closed
  PortArrivals arrivals_;
  std::optional<StampClock> arrival_clock_;  // likewise, while the program reads the device's timestamps
  std::string no_device_arrivals_;           // why it does not, or the device makes none; empty: it does

  std::atomic<XskSession*> given_{nullptr};   // by the control thread to the packet loop
  std::atomic<XskSession*> used_{nullptr};    // what the packet loop has adopted
  std::atomic<XskSession*> closed_{nullptr};  // to the packet loop, and null when its chunks are back
  std::atomic<bool> open_{false};             // frames may be captured and released
  std::atomic<bool> carrier_{false};
  std::atomic<bool> removed_{false};

  // Packet loop.
  XskSession* current_ = nullptr;
  TscReader clock_;
};

static_assert(LaunchPort<AfXdpPort>);

}  // namespace hilgate
