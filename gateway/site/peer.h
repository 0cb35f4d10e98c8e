// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "clock/time.h"
#include "gateway/site/clock_comparison.h"
#include "gateway/site/replay_window.h"
#include "gateway/site/site_meeting.h"
#include "gateway/site/site_packet.h"
#include "path/site_report.h"

namespace hilgate {

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
