// SPDX-License-Identifier: Apache-2.0
// When frames have left, by the timestamps that the kernel or the driver writes as it completes them (AF_XDP transmit
// metadata, Documentation/networking/xsk-tx-metadata.rst), and how much later than due that was.
//
// The request lies in the headroom of the frame's chunk, directly in front of its first byte, as does what the XDP
// program writes about an arrival (xdp/abi.h): that has been read at capture. Of each burst given to the kernel one
// frame of kFramesPerStamp has a request, one at least, at places that rotate: all frames of a port with little
// traffic, and the first of a burst, which leaves earliest, no more often than the last. Frames with other owners have
// none, because their memory may be on its way through several ports at once; nor have those that are due at no
// instant. A launch time (launch_times.h) lies in the same place.
#pragma once

#include <xdp/xsk.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock/seqlock.h"
#include "clock/time.h"
#include "frame/duration_histogram.h"
#include "frame/frame.h"
#include "xdp/kernel.h"
#include "xdp/launch_times.h"
#include "xdp/stamp_line.h"
#include "xdp/umem.h"

namespace hilgate {

/// What lies in front of a frame on its way out. What the kernel does not write is ours, and comes back with the chunk.
struct TransmitNote {
  XskTxMetadata kernel{};
  std::int64_t due_ns = 0;    // HostTime
  std::int64_t given_ns = 0;  // to the kernel, HostTime
};
static_assert(sizeof(TransmitNote) == Umem::kTransmitNote && sizeof(TransmitNote) % 8 == 0);

/// Of one port since its start. A request ends as one of `errors`, `missing` and `unusable`.
struct StampTotals {
  std::uint64_t requested = 0;
  std::uint64_t missing = 0;   // completed without a timestamp, or not completed until the sockets were closed
  std::uint64_t unusable = 0;  // not between the frame's way to the kernel and back: the clock was stepped
  std::uint64_t early = 0;     // of `errors`: before the frame was due, by more than the line's margin
  Nanoseconds latest{0};       // largest error
  DurationHistogram errors{};  // left later than due by so much; what left early counts as 0

  [[nodiscard]] std::uint64_t count() const { return errors.total(); }
};

/// What the packet loop and the control thread exchange about the timestamps of a port. Outlives its sessions.
struct PortStamps {
  Seqlock<StampLine> line;      // written by the control thread
  Seqlock<StampTotals> totals;  // written by the packet loop
  StampTotals sums{};           // the packet loop's own, as is the next
  LaunchTimes launches;
  Seqlock<LaunchReport> launch_report;  // written by the packet loop
};

/// Of one session.
struct StampOptions {
  bool stamps = false;    // the memory is registered for transmit metadata; otherwise nothing is requested
  bool launches = false;  // the device may keep launch times; requires `stamps`
};

/// The requests of one session's transmit ring. Packet loop; nothing allocates after the constructor.
class ReleaseStamps {
 public:
  static constexpr std::uint32_t kFramesPerStamp = 16;
  /// A timestamp may be so far outside the interval in which the frame was with the kernel: the clocks are known less
  /// exactly for a moment after the TSC's rate has changed.
  static constexpr Nanoseconds kTolerance{1'000'000};

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
  [[nodiscard]] bool launches() const { return options_.launches && port_.launches.wants_frames(); }
  [[nodiscard]] Nanoseconds launch_lead() const { return options_.launches ? port_.launches.lead() : Nanoseconds{0}; }
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
  void publish();
  /// Where the device may keep launch times, in each iteration.
  void look(HostTime now);
  /// The sockets are closed: what is not completed never will be.
  void abandon();
  [[nodiscard]] const StampOptions& options() const { return options_; }

 private:
  static constexpr HostTime kFurtherSegment = HostTime::max();  // in due_

  [[nodiscard]] std::size_t chunk_of(std::uint64_t address) const { return address >> chunk_shift_; }
  [[nodiscard]] HostTime& due_at(std::uint32_t slot) { return due_[slot & (due_.size() - 1)]; }
  void request_one(xdp_desc& descriptor, HostTime due, HostTime now);
  void note(xdp_desc& descriptor, const TransmitNote& note);
  void note_request();
  void take_line(HostTime now);
  void take(std::uint64_t address, HostTime now);
  void add(const TransmitNote& note, HostTime now);

  Umem& umem_;
  PortStamps& port_;
  const StampOptions options_;
  const int chunk_shift_;
  std::vector<HostTime> due_;    // by slot of the ring
  std::vector<bool> requested_;  // by chunk
  std::uint32_t awaited_ = 0;    // how many of these
  std::uint32_t place_ = 0;      // of the first request in the next burst
  StampLine line_{};             // as of `line_version_`
  std::uint64_t line_version_ = 0;
  bool changed_ = false;          // since publish()
  LaunchReport launch_report_{};  // as published
};

}  // namespace hilgate
