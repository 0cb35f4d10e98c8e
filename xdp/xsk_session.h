// SPDX-License-Identifier: Apache-2.0
// The sockets of a port on an interface, from when it is plugged in until it is gone.
//
// The packet loop captures and releases here. At the end it settles what is under way, the control thread closes the
// sockets, and the packet loop takes the chunks back: the kernel must not have them any more, and the memory's books
// are the packet loop's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "clock/tsc_clock.h"
#include "frame/counters.h"
#include "frame/frame.h"
#include "xdp/abi.h"
#include "xdp/arrival_stamps.h"
#include "xdp/interface.h"
#include "xdp/release_stamps.h"
#include "xdp/umem.h"
#include "xdp/xsk_socket.h"

namespace hilgate {

/// What became of a port's frames, over all its sessions.
struct PortCounters {
  Counter captured;
  Counter released;
  Counter oversize;      // dropped: more segments than can be sent
  Counter stamped_late;  // no usable stamp of the program's: stamped at capture
  Counter lost_at_send;  // released, then not sent by the interface
};

/// The kernel's side of sockets (XDP_STATISTICS), summed.
struct SocketStatistics {
  std::uint64_t rx_dropped = 0;  // no room in the chunk, or invalid
  std::uint64_t rx_invalid = 0;
  std::uint64_t tx_invalid = 0;
  std::uint64_t rx_ring_full = 0;     // we did not fetch in time
  std::uint64_t fill_ring_empty = 0;  // we had no memory to offer
  std::uint64_t tx_ring_empty = 0;

  void add(const SocketStatistics& more);
};

/// What a session has from its port, which outlives it.
struct SessionPlace {
  XskMemory& memory;
  Umem& umem;            // the core's, over the memory's area
  std::uint16_t lender;  // Umem::add_port()
  const TscClock& clock;
  PortCounters& counters;
  PortStamps& stamps;
  PortArrivals& arrivals;
  bool launches = false;  // the device may keep launch times
};

class XskSession {
 public:
  /// Opens a socket on each rx queue of the interface, which is up. Throws std::runtime_error. Control thread.
  XskSession(const SessionPlace& place, const Interface& interface);
  ~XskSession() = default;
  XskSession(const XskSession&) = delete;
  XskSession& operator=(const XskSession&) = delete;

  // ---- control thread ----

  /// each(queue, descriptor) for the sockets. Any thread.
  template <class Each>
  void each_socket(Each each) const {
    for (std::uint32_t queue = 0; queue < queues_.size(); ++queue) {
      each(queue, queues_[queue].socket->fd());
    }
  }
  [[nodiscard]] std::uint32_t queues() const { return static_cast<std::uint32_t>(queues_.size()); }
  [[nodiscard]] SocketStatistics statistics() const;
  /// Once it has settled.
  void close();

  // ---- packet loop: as FramePort ----

  std::size_t capture(std::span<Frame> burst);
  /// `due`: what the timestamp of its departure is compared with, and its launch time, if the device keeps those;
  /// kNoDue: nothing.
  bool release(const Frame& frame, HostTime due) {
    return stamps_.launches() && due != kNoDue ? release_to_launch(frame, due) : put(frame, due);
  }
  void flush();
  [[nodiscard]] Nanoseconds launch_lead() const { return stamps_.launch_lead(); }
  /// Frames wait for the kernel to take them, or the kernel lacks chunks to receive into.
  [[nodiscard]] bool unfinished() const { return unfinished_; }

  // ---- the beginning and the end ----

  /// Packet loop. Gives the kernel chunks to receive into.
  void refill();
  /// Sends what was released for up to 100 ms; where no loop runs.
  void drain();
  /// Packet loop. True when nothing is on its way through the kernel any more, or does not come back in 100 ms; what
  /// was released and not sent by then is lost. No capture and no release afterwards.
  bool settle();
  /// Packet loop, after close(). Takes some of the chunks back; true when these were the last.
  bool give_back();

 private:
  struct Queue {
    explicit Queue(std::unique_ptr<XskSocket> opened) : socket(std::move(opened)) {}
    std::unique_ptr<XskSocket> socket;
    Frame partial;               // the segments so far of a frame whose end has not come yet
    std::uint64_t last = 0;      // address of its last segment
    std::uint32_t segments = 0;  // how many; 0: none
  };

  static std::vector<Queue> open_queues(XskMemory& memory, const Interface& interface);
  std::size_t capture(Queue& queue, std::span<Frame> burst);
  bool append(Queue& queue, const xdp_desc& segment, HostTime now);
  HostTime arrival(std::byte* data, HostTime now);
  HostTime other_arrival(const hg_frame_meta& meta, std::byte* data, HostTime now);
  bool put(const Frame& frame, HostTime due);
  bool release_to_launch(const Frame& frame, HostTime due);
  bool refill(Queue& queue);  // false: there is less memory than it takes
  void send();
  std::uint32_t unsent();
  std::uint32_t reap();
  void note_unsent();

  Umem& umem_;
  std::uint16_t lender_;
  PortCounters& counters_;
  std::uint32_t ring_size_;
  TscReader clock_;
  HostTime opened_;
  std::vector<Queue> queues_;
  ReleaseStamps stamps_;  // after the queues: the first socket shows whether there can be any
  ArrivalStamps arrivals_;
  std::size_t next_queue_ = 0;           // capture begins here
  std::uint32_t pending_ = 0;            // tx descriptors written, not yet shown to the kernel
  std::uint32_t outstanding_ = 0;        // tx descriptors not yet completed, pending ones included
  bool unfinished_ = false;              // as of the last flush()
  HostTime settled_by_{};                // when settle() stops waiting; 0: it has not begun
  std::vector<std::uint64_t> leftover_;  // released and never sent; capacity reserved
  std::uint32_t next_chunk_ = 0;         // give_back() continues here
};

}  // namespace hilgate
