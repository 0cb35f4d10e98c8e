// SPDX-License-Identifier: Apache-2.0
// An Ethernet device of DPDK as a port of the gateway: physical or virtual, polled, without the kernel.
#pragma once

#include <rte_ethdev.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "clock/tsc_clock.h"
#include "dpdk/burst_gate.h"
#include "dpdk/device_clock.h"
#include "dpdk/dpdk_launches.h"
#include "dpdk/mbuf_pool.h"
#include "dpdk/memif_relay.h"
#include "frame/counters.h"
#include "frame/frame.h"
#include "frame/port_config.h"
#include "host/file_descriptor.h"

namespace hilgate {

/// The receive interrupts of a started device, for a thread that sleeps while nothing arrives.
class ArrivalInterrupts {
 public:
  /// Null when the device has none for its queues.
  static std::unique_ptr<ArrivalInterrupts> of(std::uint16_t port, std::uint16_t queues);
  ~ArrivalInterrupts();
  ArrivalInterrupts(const ArrivalInterrupts&) = delete;
  ArrivalInterrupts& operator=(const ArrivalInterrupts&) = delete;

  /// Readable once something has arrived on a queue since arm().
  [[nodiscard]] int fd() const { return events_.get(); }

  /// Switches them on. False when they are on already. What arrived before may not show at fd(): the queues are to be
  /// looked at once more before sleeping.
  bool arm() noexcept;
  /// Switches them off, and forgets what has arrived.
  void disarm() noexcept;

 private:
  ArrivalInterrupts(std::uint16_t port, FileDescriptor events) : port_(port), events_(std::move(events)) {}

  std::uint16_t port_;
  std::uint16_t queues_ = 0;  // that events_ watches
  FileDescriptor events_;     // epoll
  bool armed_ = false;
};

struct DpdkPortOptions {
  std::string name;    // the port's, for messages
  std::string device;  // as DPDK names it: "net_null0", "0000:01:00.0"
  DpdkKind kind = DpdkKind::kDevice;
  DpdkSocketConfig socket{};    // of kinds with a peer
  std::string driver_socket{};  // of kMemif: see dpdk/memif_relay.h
  std::uint16_t rx_queues = 1;
  std::uint16_t descriptors = 1024;  // per ring; devices may round
  std::uint32_t frame_limit = 1518;  // longest frame without FCS that it shall take
  bool interrupts = false;           // for a loop that sleeps, where the device has them
  LaunchTimeUse launch_time = LaunchTimeUse::kAuto;
  std::string no_launch_time{};  // why launch time cannot be used, whatever the device offers; empty: it can
};

/// What the device turned out to have.
struct DpdkPortMode {
  std::string driver{};
  std::uint16_t rx_queues = 1;
  std::uint32_t largest_frame = 0;
  bool scattered = false;           // frames may lie in several mbufs
  bool interrupts = false;          // arrivals wake a loop that sleeps
  bool sends_on_timestamp = false;  // offers to send each frame at its instant
  std::string no_launch_time{};     // why that is not used; empty: it is, or is being tried
  std::string no_departures{};      // why there are no timestamps of frames that leave; empty: there are
  std::string stamps{};             // whose clock arrivals are stamped by; empty: they are stamped when they are polled
  std::string no_stamps{};          // why that is so
};

/// The arrivals of a port whose device stamps them, since it was made.
struct DpdkArrivals {
  std::uint64_t count = 0;     // frames by the device's stamp
  std::uint64_t missing = 0;   // without one: by when they were polled
  std::uint64_t unusable = 0;  // with one that cannot be true: likewise
  Nanoseconds margin{0};       // how far a stamp may be from the packet loop's clock
  bool kernel = false;         // net_pcap: the kernel stamped them
};

/// Satisfies LaunchPort; capture, release and flush belong to one thread, which is registered with EAL.
class DpdkPort {
 public:
  /// Configures and starts the device. Throws std::runtime_error that names port and device: not found, fewer queues
  /// than asked for (with their number), frames longer than it takes, buffers too small, no folder for its socket,
  /// another process at its socket.
  DpdkPort(const DpdkPortOptions& options, MbufPool& pool, const TscClock& clock);
  ~DpdkPort();
  DpdkPort(const DpdkPort&) = delete;
  DpdkPort& operator=(const DpdkPort&) = delete;

  /// Vector receive functions of drivers may bring no fewer.
  static constexpr std::size_t kLeastCapture = 8;
  std::size_t capture(std::span<Frame> burst);

  /// Frames go to the device in bursts, at the latest at flush(); what the device does not take waits here.
  bool release(const Frame& frame) {
    if (unplugged() || (waiting_ == kBurst && !send())) {
      return false;
    }
    due_[waiting_] = kNoDue;
    tx_[waiting_++] = MbufPool::mbuf(frame);
    return true;
  }
  bool release(const Frame& frame, HostTime due) {
    return takes_due() ? release_to_launch(frame, due) : release(frame);
  }
  /// Whether it makes a difference when a frame is due.
  [[nodiscard]] bool takes_due() const { return launches_.has_value(); }
  /// Frames that release() takes before it sends any.
  [[nodiscard]] std::size_t noting_room() const { return std::size_t{kBurst} - waiting_; }
  void flush() {
    if (waiting_ > 0) {
      send();
    }
    if (launches_) [[unlikely]] {
      look_at_launches();
    }
  }
  [[nodiscard]] Nanoseconds launch_lead() const { return launches_ ? launches_->lead() : Nanoseconds{0}; }
  /// What the device had not taken when its peer went. Any thread.
  [[nodiscard]] std::uint64_t discarded() const { return discarded_.get(); }
  /// Frames that it has brought and taken. Any thread.
  [[nodiscard]] std::uint64_t captured() const { return captured_.get(); }
  [[nodiscard]] std::uint64_t released() const { return released_.get(); }

  // For a loop that sleeps while nothing arrives.

  /// each(descriptor): readable once something has arrived since arm_arrivals(). None without interrupts.
  template <class Each>
  void each_arrival_fd(Each each) const {
    if (interrupts_ != nullptr) {
      each(interrupts_->fd());
    }
  }
  [[nodiscard]] bool arrivals_wake() const { return interrupts_ != nullptr; }
  /// The device has not taken all frames yet.
  [[nodiscard]] bool unfinished() const { return waiting_ > 0; }
  /// True when interrupts were off: what has arrived so far is to be captured before sleeping.
  bool arm_arrivals() noexcept { return interrupts_ != nullptr && interrupts_->arm(); }
  void disarm_arrivals() noexcept {
    if (interrupts_ != nullptr) {
      interrupts_->disarm();
    }
  }

  /// The device had no carrier, or no peer, when look_for_carrier() was last called. Any thread.
  [[nodiscard]] bool unplugged() const { return !carrier_.load(std::memory_order_relaxed); }
  /// Control thread, now and then, and threads of DPDK when a peer comes or goes: asks the device. Devices that cannot
  /// say have one.
  void look_for_carrier();
  /// Why the connection with the last peer ended; empty when that is not known. Any thread.
  [[nodiscard]] std::string last_ended() const { return relay_ == nullptr ? "" : relay_->ended(); }

  [[nodiscard]] const DpdkPortMode& mode() const { return mode_; }
  /// Control thread, about every 100 ms, after the TSC's: how the device's clock runs.
  void discipline();
  /// Whether PTP passes (`ptp: transparent`), which excludes launch time. Control thread.
  void set_ptp(PtpPassage ptp) { stamps_.set_ptp(ptp); }
  /// Of frames that leave. Control thread.
  [[nodiscard]] StampStatistics stamps() const;
  /// All 0 where the device does not stamp. Control thread.
  [[nodiscard]] DpdkArrivals arrivals() const;
  /// The device's own counters. Control thread.
  [[nodiscard]] rte_eth_stats statistics() const;

 private:
  static constexpr std::uint16_t kBurst = 64;

  // How long an arrival may have waited in the device, and how far the clocks are known to one another at worst.
  static constexpr Nanoseconds kOldest{1'000'000'000};
  static constexpr Nanoseconds kAhead{1'000'000};

  // What a device may refuse.
  struct Extras {
    bool interrupts = false;
    bool launches = false;
  };

  void configure(const DpdkPortOptions& options, MbufPool& pool, Extras extras);
  void start(const DpdkPortOptions& options, MbufPool& pool, bool launches);
  void start_with_launches(const DpdkPortOptions& options, MbufPool& pool);
  void take_stamps();
  bool release_to_launch(const Frame& frame, HostTime due);
  void look_at_launches();
  std::uint16_t give();
  [[nodiscard]] HostTime stamped(const rte_mbuf& mbuf, HostTime polled);
  bool send();
  void discard_waiting();
  void prepare_socket(const DpdkPortOptions& options);
  void meet_peers(const DpdkPortOptions& options);
  static int carrier_changed(std::uint16_t port, rte_eth_event_type event, void* self, void* unused);

  std::uint16_t port_ = 0;
  BurstGate gate_;
  std::atomic<bool> carrier_{true};
  DpdkPortMode mode_;
  const TscClock& tsc_;
  TscReader clock_;
  std::unique_ptr<DeviceClock> device_clock_;  // null: absent, or not needed
  bool stamps_arrivals_ = false;
  int stamp_at_ = 0;  // its offset in an mbuf
  std::uint64_t stamp_flag_ = 0;
  Counter stamps_missing_, stamps_unusable_;
  Counter captured_, released_, discarded_;
  std::unique_ptr<ArrivalInterrupts> interrupts_;  // null: arrivals wake no loop
  PortStamps stamps_;
  std::optional<DpdkLaunches> launches_;  // the device may keep launch times
  std::uint16_t next_queue_ = 0;
  std::uint16_t waiting_ = 0;
  std::array<rte_mbuf*, kBurst> tx_{};
  std::array<HostTime, kBurst> due_{};  // likewise, with launches_
  std::unique_ptr<MemifRelay> relay_;   // of a memif; its thread uses the rest
};

static_assert(LaunchPort<DpdkPort>);
static_assert(FramePool<MbufPool>);

}  // namespace hilgate
