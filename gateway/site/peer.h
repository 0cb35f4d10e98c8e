// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "clock/time.h"
#include "gateway/site/site_meeting.h"
#include "gateway/site/site_packet.h"
#include "path/site_report.h"

namespace hilgate {

/// How far another gateway's clock is ahead of ours, from pairs of packets there and back (as NTP, RFC 5905, 8). Each
/// way takes longer than the clocks are apart by its delay; of the last kPairs the least of each way counts, as packets
/// that waited in a queue are less accurate and seldom two of a pair did not. Both ways together take no time or more:
/// a contradiction means that a clock was stepped, and earlier pairs are forgotten.
class ClockComparison {
 public:
  static constexpr std::size_t kPairs = 16;

  /// Ours left at `sent` and was there at `there`; its packet left at `back` and is here at `here`.
  void add(WallTime sent, WallTime there, WallTime back, WallTime here) noexcept {
    const Pair pair{there - sent, here - back};
    const Nanoseconds on_way = pair.there + pair.back;
    if (on_way < Nanoseconds{0} || on_way > kLongest) {
      return;  // a clock was stepped in between, or the packet is forged
    }
    if (next_ > 0) {
      const Pair known = least();
      if (pair.there + known.back < -kSlewed || known.there + pair.back < -kSlewed) {
        forget();
      }
    }
    pairs_[next_ % kPairs] = pair;
    ++next_;
  }
  void forget() noexcept { next_ = 0; }
  /// Nothing before the first pair.
  [[nodiscard]] std::optional<Nanoseconds> offset() const noexcept {
    if (next_ == 0) {
      return std::nullopt;
    }
    const Pair known = least();
    return (known.there - known.back) / 2;
  }

 private:
  static constexpr Nanoseconds kLongest{10'000'000'000};
  static constexpr Nanoseconds kSlewed{1'000'000};  // that clocks may have gone apart while pairs were gathered
  /// By the clock of the receiver minus that of the sender.
  struct Pair {
    Nanoseconds there{0};
    Nanoseconds back{0};
  };
  // Of each way; requires a pair.
  [[nodiscard]] Pair least() const noexcept {
    Pair least = pairs_[0];
    for (std::size_t i = 1; i < std::min(next_, kPairs); ++i) {
      least = {std::min(least.there, pairs_[i].there), std::min(least.back, pairs_[i].back)};
    }
    return least;
  }

  std::array<Pair, kPairs> pairs_{};
  std::size_t next_ = 0;
};

/// Which sequence numbers of a peer have come, as of RFC 4303, 3.4.3: each is taken once, and none that is 64 or more
/// behind the newest. Numbers begin at 1.
class ReplayWindow {
 public:
  /// False: it has come before, or is too old.
  bool take(std::uint64_t sequence) noexcept {
    if (sequence == 0) {
      return false;
    }
    if (sequence > newest_) {
      const std::uint64_t step = sequence - newest_;
      seen_ = step >= 64 ? 0 : seen_ << step;
      seen_ |= 1;
      newest_ = sequence;
      ++taken_;
      return true;
    }
    const std::uint64_t behind = newest_ - sequence;
    const std::uint64_t bit = behind < 64 ? std::uint64_t{1} << behind : 0;
    if (bit == 0 || (seen_ & bit) != 0) {
      return false;
    }
    seen_ |= bit;
    ++taken_;
    return true;
  }
  /// Up to the newest, how many have not come, those that may still come among them. `first`: the one to count from.
  [[nodiscard]] std::uint64_t missing(std::uint64_t first) const noexcept {
    const std::uint64_t sent = newest_ < first ? 0 : newest_ - first + 1;
    return sent > taken_ ? sent - taken_ : 0;
  }
  [[nodiscard]] std::uint64_t newest() const noexcept { return newest_; }

 private:
  std::uint64_t newest_ = 0;
  std::uint64_t seen_ = 0;  // bit n: newest_ - n
  std::uint64_t taken_ = 0;
};

/// What a gateway knows of another one, from its packets. Belongs to the tunnel's thread.
class Peer {
 public:
  /// When something was received, by both clocks.
  struct Moment {
    HostTime host{};
    WallTime wall{};
  };
  /// Of this gateway, what others are compared with.
  struct Own {
    SiteDigests digests{};
    std::string_view version;
    std::optional<WallTime> zero{};
  };

  /// A packet from its address. A refusal: it is not to be used, and nothing has changed.
  std::optional<SiteRefusal> hear(const SitePacket& packet, const Moment& now) noexcept;
  /// The contents of a beacon that hear() has taken.
  void take_words(const SitePacket& packet, const BeaconWords& words, const Moment& now) noexcept;
  /// From its address came something without the proof that it is of the site.
  void note_unproven(HostTime now) noexcept { unproven_ = now; }
  /// As things stand now.
  void judge(HostTime now, const SiteTerms& terms, const Own& own) noexcept;

  [[nodiscard]] bool is_here() const noexcept { return report.state == PeerState::kHere; }
  /// For our next beacon to it.
  [[nodiscard]] BeaconWords echo() const noexcept;
  [[nodiscard]] std::uint64_t next_sequence() noexcept { return ++sent_sequence_; }
  /// Nothing before it has one.
  [[nodiscard]] std::optional<WallTime> zero() const noexcept { return zero_; }
  /// What its clock showed when it sent its last beacon, and when that was received; nothing before the first one.
  [[nodiscard]] std::optional<Moment> last_beacon() const noexcept {
    return beacon_sent_ == WallTime{} ? std::nullopt : std::optional(Moment{beacon_at_, beacon_sent_});
  }

  /// Since when it decides media that others have stations of, as announced; nothing while it does not.
  [[nodiscard]] std::optional<WallTime> decides_from() const noexcept { return decides_from_; }

  /// Digest of the files that it has read; means nothing before a beacon.
  [[nodiscard]] std::uint64_t files() const noexcept { return files_; }

  PeerReport report{};  // but for the state, counted by the tunnel

 private:
  void begin_anew(std::uint64_t epoch, std::uint64_t first) noexcept;

  std::uint64_t epoch_ = 0;  // 0: nothing received yet
  std::uint64_t first_ = 1;  // sequence number with which this epoch began here
  ReplayWindow window_;
  ClockComparison clock_;
  HostTime heard_{};
  std::optional<HostTime> unproven_;
  WallTime beacon_sent_{};  // of the last one
  WallTime beacon_heard_{};
  HostTime beacon_at_{};
  std::optional<WallTime> zero_;
  std::optional<WallTime> decides_from_;
  std::uint64_t files_ = 0;
  std::uint64_t sent_sequence_ = 0;
};

}  // namespace hilgate
