// SPDX-License-Identifier: Apache-2.0
// A network interface as a port of the gateway, through AF_XDP: frames arrive stamped by our XDP program, in memory
// shared by all ports, and are sent from there without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "clock/tsc_clock.h"
#include "frame/counter.h"
#include "frame/frame.h"
#include "frame/port_config.h"
#include "xdp/interface.h"
#include "xdp/promiscuous.h"
#include "xdp/xdp_program.h"
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
};

/// What became of frames around the port, since it was opened.
struct AfXdpStatistics {
  XdpCounters program;
  // The port itself.
  std::uint64_t captured = 0;
  std::uint64_t released = 0;
  std::uint64_t oversize = 0;      // dropped: more segments than can be sent
  std::uint64_t stamped_late = 0;  // no usable stamp of the program's: stamped at capture
  std::uint64_t lost_at_send = 0;  // released, then dropped by the interface's queue
  // The kernel's side of the sockets (XDP_STATISTICS), all queues.
  std::uint64_t rx_dropped = 0;  // no room in the chunk, or invalid
  std::uint64_t rx_invalid = 0;
  std::uint64_t tx_invalid = 0;
  std::uint64_t rx_ring_full = 0;     // we did not fetch in time
  std::uint64_t fill_ring_empty = 0;  // we had no memory to offer
  std::uint64_t tx_ring_empty = 0;
};

/// A port's place in the kernel path of its gateway.
struct KernelPort {
  KernelPath* path = nullptr;  // outlives the port
  PortId id{};
  bool decides_links = false;  // whether KernelPath::set_link concerns frames from this port
  std::size_t core = 0;        // which of KernelPathConfig::cores beats for it

  /// A port that is wired when the process dies takes frames for all addresses still.
  void keep_promiscuous(const std::string& interface, FailMode fail) const {
    if (path != nullptr && !path->directory().empty()) {
      path->keep_promiscuous(interface, fail == FailMode::kWire);
    }
  }
};

/// Whether all sockets shall be zero-copy: the kernel knows one answer for all ports that share memory. True when every
/// port allows it and every driver can. Throws std::runtime_error when a port insists and another cannot.
bool choose_zero_copy(std::span<const PortConfig> ports);

/// Satisfies FramePort; capture, release and flush belong to one thread, the rest to any.
class AfXdpPort {
 public:
  /// Opens sockets on all rx queues and attaches the program; frames flow from here on. The memory and the clock must
  /// outlive the port. Throws std::runtime_error that names the interface and says what is wrong and what to do.
  AfXdpPort(XskMemory& memory, const PortConfig& config, const TscClock& clock)
      : AfXdpPort(memory, memory.umem(), config, clock, KernelPort{}) {}
  /// As a port of a gateway whose kernel path it takes part in; its flush() is the heartbeat.
  AfXdpPort(XskMemory& memory, const PortConfig& config, const TscClock& clock, const KernelPort& kernel)
      : AfXdpPort(memory, memory.umem(), config, clock, kernel) {}
  /// As one whose frames are a core's own: `umem` lies over the memory's area.
  AfXdpPort(XskMemory& memory, Umem& umem, const PortConfig& config, const TscClock& clock, const KernelPort& kernel);
  /// Detaches, gives what was released up to 100 ms to leave, takes all chunks back.
  ~AfXdpPort();
  AfXdpPort(const AfXdpPort&) = delete;
  AfXdpPort& operator=(const AfXdpPort&) = delete;

  std::size_t capture(std::span<Frame> burst);
  bool release(const Frame& frame);
  void flush();

  // For a loop that sleeps while nothing arrives.

  /// each(descriptor) for the sockets: readable while frames wait to be captured.
  template <class Each>
  void each_arrival_fd(Each each) const {
    for (const Queue& queue : queues_) {
      each(queue.socket->fd());
    }
  }
  [[nodiscard]] bool arrivals_wake() const { return true; }
  /// Frames wait for the kernel to take them, or the kernel lacks chunks to receive into.
  [[nodiscard]] bool unfinished() const { return unfinished_; }

  [[nodiscard]] const AfXdpMode& mode() const { return mode_; }
  [[nodiscard]] const Interface& interface() const { return interface_; }
  [[nodiscard]] AfXdpStatistics statistics() const;

 private:
  struct Queue {
    explicit Queue(std::unique_ptr<XskSocket> opened) : socket(std::move(opened)) {}
    std::unique_ptr<XskSocket> socket;
    Frame partial;               // the segments so far of a frame whose end has not come yet
    std::uint64_t last = 0;      // address of its last segment
    std::uint32_t segments = 0;  // how many; 0: none
  };

  std::size_t capture(Queue& queue, std::span<Frame> burst);
  bool append(Queue& queue, const xdp_desc& segment, HostTime now);
  HostTime arrival(std::byte* data, HostTime now);
  bool refill(Queue& queue);  // false: there is less memory than it takes
  void send();
  std::uint32_t unsent();
  std::uint32_t reap();
  void drain();

  // Names this port in the memory's books; chunks that are lent to the kernel come back when the sockets are closed.
  struct Loan {
    explicit Loan(Umem& lender) : umem(lender), tag(lender.add_port()) {}
    ~Loan() { umem.take_back(tag); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Umem& umem;
    std::uint16_t tag;
  };

  Umem& umem_;
  Loan loan_;
  std::uint32_t ring_size_;
  Interface interface_;
  FileDescriptor promiscuous_;
  TscReader clock_;
  HostTime opened_;
  AfXdpMode mode_;
  KernelPort kernel_;
  std::unique_ptr<XdpProgram> program_;
  std::vector<Queue> queues_;
  std::size_t next_queue_ = 0;     // capture begins here
  std::uint32_t pending_ = 0;      // tx descriptors written, not yet shown to the kernel
  std::uint32_t outstanding_ = 0;  // tx descriptors not yet completed, pending ones included
  bool unfinished_ = false;        // as of the last flush()
  Counter captured_, released_, oversize_, stamped_late_, lost_at_send_;
};

static_assert(FramePort<AfXdpPort>);

}  // namespace hilgate
