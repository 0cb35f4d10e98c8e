// SPDX-License-Identifier: Apache-2.0
// When frames have left, by the timestamps that the kernel or the driver writes as it completes them (AF_XDP transmit
// metadata, Documentation/networking/xsk-tx-metadata.rst), and how much later than due that was.
//
// The request lies in the headroom of the frame's chunk, directly in front of its first byte, as does what the XDP
// program writes about an arrival (xdp/abi.h): that has been read at capture. Of each burst given to the kernel one
// frame of kFramesPerStamp has a request, one at least, at places that rotate: all frames of a port with little
// traffic, and the first of a burst, which leaves earliest, no more often than the last. Frames with other owners have
// none, because their memory may be on its way through several ports at once; nor have those that are due at no
// instant. A launch time (frame/departures/launch_times.h) lies in the same place.
#pragma once

#include <xdp/xsk.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock/time.h"
#include "frame/departures/port_stamps.h"
#include "frame/frame.h"
#include "xdp/kernel.h"
#include "xdp/umem.h"

namespace hilgate {

/// What lies in front of a frame on its way out. What the kernel does not write is ours, and comes back with the chunk.
struct TransmitNote {
  XskTxMetadata kernel{};
  std::int64_t due_ns = 0;    // HostTime
  std::int64_t given_ns = 0;  // to the kernel, HostTime
};
static_assert(sizeof(TransmitNote) == Umem::kTransmitNote && sizeof(TransmitNote) % 8 == 0);

/// Of one session.
struct StampOptions {
  bool stamps = false;    // the memory is registered for transmit metadata; otherwise nothing is requested
  bool launches = false;  // the device may keep launch times; requires `stamps`
};

/// The requests of one session's transmit ring. Packet loop; nothing allocates after the constructor.
class ReleaseStamps {
 public:
  static constexpr std::uint32_t kFramesPerStamp = 16;

  /// All outlive this object.
  ReleaseStamps(Umem& umem, PortStamps& port, std::uint32_t ring_size, StampOptions options);

  /// From `slot` of the ring on, `segments` descriptors are a frame due at `due`.
  void note_due(std::uint32_t slot, std::uint32_t segments, HostTime due) {
    due_at(slot) = due;
    for (std::uint32_t further = 1; further < segments; ++further) {
      due_at(slot + further) = kFurtherSegment;
    }
  }
  /// Whether frames can get a launch time now.
  [[nodiscard]] bool launches() const { return book_.wants_launches(); }
  [[nodiscard]] Nanoseconds launch_lead() const { return book_.launch_lead(); }
  /// `descriptor`, which begins a frame due at `due`, is in the ring since `now`. Its memory has one owner.
  void launch(xdp_desc& descriptor, HostTime due, HostTime now);
  /// The last `pending` descriptors of the ring are given to the kernel at `now`, right after this.
  void request(xsk_ring_prod& tx, std::uint32_t pending, HostTime now);
  /// The kernel has completed the frame or segment at `address`; before its chunk is freed. `clock` reads HostTime.
  template <class Clock>
  void completed(std::uint64_t address, Clock& clock) {
    if (awaited_ > 0 && requested_[chunk_of(address)]) {
      take(address, clock.now());
    }
  }
  /// What has come reaches the control thread.
  void publish() { book_.publish(); }
  /// Where the device may keep launch times, in each iteration.
  void look(HostTime now) { book_.look(now); }
  /// The sockets are closed: what is not completed never will be.
  void abandon();
  [[nodiscard]] const StampOptions& options() const { return options_; }

 private:
  static constexpr HostTime kFurtherSegment = HostTime::max();  // in due_

  [[nodiscard]] std::size_t chunk_of(std::uint64_t address) const { return address >> chunk_shift_; }
  [[nodiscard]] HostTime& due_at(std::uint32_t slot) { return due_[slot & (due_.size() - 1)]; }
  void request_one(xdp_desc& descriptor, HostTime due, HostTime now);
  void note(xdp_desc& descriptor, const TransmitNote& note);
  void take(std::uint64_t address, HostTime now);

  Umem& umem_;
  StampBook book_;
  const StampOptions options_;
  const int chunk_shift_;
  std::vector<HostTime> due_;    // by slot of the ring
  std::vector<bool> requested_;  // by chunk
  std::uint32_t awaited_ = 0;    // how many of these
  std::uint32_t place_ = 0;      // of the first request in the next burst
};

}  // namespace hilgate
