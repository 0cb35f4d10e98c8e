// SPDX-License-Identifier: Apache-2.0
#include "xdp/release_stamps.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <utility>

namespace hilgate {
namespace {

// Prime to all lengths of bursts that are no multiple of it, so that the first request comes to every place.
constexpr std::uint32_t kPlaceStep = 7919;

std::byte* note_in_front_of(std::byte* frame) {
  return frame - sizeof(TransmitNote);
}

}  // namespace

ReleaseStamps::ReleaseStamps(Umem& umem, PortStamps& port, std::uint32_t ring_size, StampOptions options)
    : umem_(umem),
      port_(port),
      options_(options),
      chunk_shift_(std::countr_zero(umem.config().chunk_size)),
      due_(ring_size, kNoDue),
      requested_(options.stamps ? umem.config().chunks : 0) {}

void ReleaseStamps::request(xsk_ring_prod& tx, std::uint32_t pending, HostTime now) {
  const std::uint32_t first = tx.cached_prod - pending;
  std::uint32_t place = place_ % pending;
  for (std::uint32_t done = 0; done < pending; done += kFramesPerStamp) {
    std::uint32_t slot = first + place;
    while (due_at(slot) == kFurtherSegment) {  // a burst begins with a frame
      --slot;
    }
    request_one(*xsk_ring_prod__tx_desc(&tx, slot), due_at(slot), now);
    place += kFramesPerStamp;
    place -= place >= pending ? pending : 0;
  }
  place_ += kPlaceStep;
}

void ReleaseStamps::request_one(xdp_desc& descriptor, HostTime due, HostTime now) {
  if (due == kNoDue || umem_.is_shared(descriptor.addr)) {
    return;
  }
  if ((descriptor.options & kXdpTxMetadata) == 0) {
    note_request();
    return note(descriptor, {.kernel = {.flags = kXdpTxmdFlagsTimestamp},
                             .due_ns = due.time_since_epoch().count(),
                             .given_ns = now.time_since_epoch().count()});
  }
  // It has a launch time, or is a long frame that two places of the burst are in.
  std::byte* const place = note_in_front_of(umem_.data(descriptor.addr));
  XskTxMetadata metadata;
  std::memcpy(&metadata, place, sizeof metadata);
  if ((metadata.flags & kXdpTxmdFlagsTimestamp) == 0) {
    note_request();
    metadata.flags |= kXdpTxmdFlagsTimestamp;
    std::memcpy(place, &metadata, sizeof metadata);
  }
}

void ReleaseStamps::launch(xdp_desc& descriptor, HostTime due, HostTime now) {
  const auto launch = port_.launches.for_frame(due, now);
  if (!launch) {
    return;
  }
  TransmitNote written{.kernel = {.flags = kXdpTxmdFlagsLaunchTime,
                                  .launch_time = static_cast<std::uint64_t>(launch->at.time_since_epoch().count())},
                       .due_ns = due.time_since_epoch().count(),
                       .given_ns = now.time_since_epoch().count()};
  if (launch->must_stamp) {
    note_request();
    written.kernel.flags |= kXdpTxmdFlagsTimestamp;
  }
  note(descriptor, written);
}

void ReleaseStamps::note(xdp_desc& descriptor, const TransmitNote& note) {
  std::memcpy(note_in_front_of(umem_.data(descriptor.addr)), &note, sizeof note);
  descriptor.options |= kXdpTxMetadata;
  requested_[chunk_of(descriptor.addr)] = true;
  ++awaited_;
}

void ReleaseStamps::note_request() {
  ++port_.sums.requested;
  changed_ = true;
}

// Its place is wiped, so that nothing is ever taken for what the program writes about an arrival.
void ReleaseStamps::take(std::uint64_t address, HostTime now) {
  requested_[chunk_of(address)] = false;
  --awaited_;
  std::byte* const place = note_in_front_of(umem_.data(address));
  TransmitNote note;
  std::memcpy(&note, place, sizeof note);
  std::memset(place, 0, sizeof note);
  const bool asked = (note.kernel.flags & kXdpTxmdFlagsTimestamp) != 0;
  if (asked) {
    add(note, now);
    changed_ = true;
  }
  if ((note.kernel.flags & kXdpTxmdFlagsLaunchTime) != 0) {
    const auto device_time = [](std::uint64_t ns) {
      return LaunchTimes::DeviceTime{Nanoseconds{static_cast<std::int64_t>(ns)}};
    };
    port_.launches.completed(
        {.launch = device_time(note.kernel.launch_time),
         .due = HostTime{Nanoseconds{note.due_ns}},
         .given = HostTime{Nanoseconds{note.given_ns}},
         .asked = asked,
         .left = note.kernel.tx_timestamp != 0 ? std::optional(device_time(note.kernel.tx_timestamp)) : std::nullopt},
        now);
  }
}

void ReleaseStamps::take_line(HostTime now) {
  const std::uint64_t version = port_.line.version();
  if (version == line_version_) {
    return;
  }
  line_ = port_.line.load();
  line_version_ = version;
  if (options_.launches) {
    port_.launches.take_line(line_, now);
  }
}

void ReleaseStamps::look(HostTime now) {
  take_line(now);
  port_.launches.look(now);
  if (const LaunchReport report = port_.launches.report(); report != launch_report_) {
    launch_report_ = report;
    port_.launch_report.store(report);
  }
}

void ReleaseStamps::add(const TransmitNote& note, HostTime now) {
  if (note.kernel.tx_timestamp == 0) {
    ++port_.sums.missing;
    return;
  }
  take_line(now);
  const HostTime left =
      line_.line.at(DeviceLine::DeviceTime{Nanoseconds{static_cast<std::int64_t>(note.kernel.tx_timestamp)}});
  if (!line_.valid || left < HostTime{Nanoseconds{note.given_ns}} - kTolerance || left > now + kTolerance) {
    ++port_.sums.unusable;
    return;
  }
  const Nanoseconds error = left - HostTime{Nanoseconds{note.due_ns}};
  port_.sums.errors.add(error);
  port_.sums.latest = std::max(port_.sums.latest, error);
  port_.sums.early += error < -line_.margin ? 1 : 0;
}

void ReleaseStamps::publish() {
  if (std::exchange(changed_, false)) {
    port_.totals.store(port_.sums);
  }
}

void ReleaseStamps::abandon() {
  if (std::exchange(awaited_, 0) > 0) {
    const StampTotals& sums = port_.sums;
    port_.sums.missing = sums.requested - sums.count() - sums.unusable;
    std::fill(requested_.begin(), requested_.end(), false);
    changed_ = true;
  }
  port_.launches.begin();
  publish();
}

}  // namespace hilgate
