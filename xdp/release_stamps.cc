// SPDX-License-Identifier: Apache-2.0
#include "xdp/release_stamps.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
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
      book_(port, options.launches),
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
    book_.note_request();
    return note(descriptor, {.kernel = {.flags = kXdpTxmdFlagsTimestamp},
                             .due_ns = due.time_since_epoch().count(),
                             .given_ns = now.time_since_epoch().count()});
  }
  // It has a launch time, or is a long frame that two places of the burst are in.
  std::byte* const place = note_in_front_of(umem_.data(descriptor.addr));
  XskTxMetadata metadata;
  std::memcpy(&metadata, place, sizeof metadata);
  if ((metadata.flags & kXdpTxmdFlagsTimestamp) == 0) {
    book_.note_request();
    metadata.flags |= kXdpTxmdFlagsTimestamp;
    std::memcpy(place, &metadata, sizeof metadata);
  }
}

void ReleaseStamps::launch(xdp_desc& descriptor, HostTime due, HostTime now) {
  const auto launch = book_.launches().for_frame(due, now);
  if (!launch) {
    return;
  }
  TransmitNote written{.kernel = {.flags = kXdpTxmdFlagsLaunchTime,
                                  .launch_time = static_cast<std::uint64_t>(launch->at.time_since_epoch().count())},
                       .due_ns = due.time_since_epoch().count(),
                       .given_ns = now.time_since_epoch().count()};
  if (launch->must_stamp) {
    book_.note_request();
    written.kernel.flags |= kXdpTxmdFlagsTimestamp;
  }
  note(descriptor, written);
  book_.launches().given(*launch);
}

void ReleaseStamps::note(xdp_desc& descriptor, const TransmitNote& note) {
  std::memcpy(note_in_front_of(umem_.data(descriptor.addr)), &note, sizeof note);
  descriptor.options |= kXdpTxMetadata;
  requested_[chunk_of(descriptor.addr)] = true;
  ++awaited_;
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
  const auto device_time = [](std::uint64_t ns) {
    return LaunchTimes::DeviceTime{Nanoseconds{static_cast<std::int64_t>(ns)}};
  };
  const HostTime due{Nanoseconds{note.due_ns}};
  const HostTime given{Nanoseconds{note.given_ns}};
  const auto left = note.kernel.tx_timestamp != 0 ? std::optional(device_time(note.kernel.tx_timestamp)) : std::nullopt;
  if (asked) {
    book_.add(due, given, left, now);
  }
  if ((note.kernel.flags & kXdpTxmdFlagsLaunchTime) != 0) {
    book_.launches().completed(
        {.launch = device_time(note.kernel.launch_time), .due = due, .given = given, .asked = asked, .left = left},
        now);
  }
}

void ReleaseStamps::abandon() {
  if (std::exchange(awaited_, 0) > 0) {
    std::fill(requested_.begin(), requested_.end(), false);
  }
  book_.abandon();
}

}  // namespace hilgate
