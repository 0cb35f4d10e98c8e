// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "clock/time.h"
#include "gateway/status/model/peer_status.h"

namespace hilgate {

// Announcements of DDS participants, of which processes of ROS 2 have one each: RTPS 2.5 (OMG formal/22-04-01), 8.5.3
// and 9.6.2.2.

/// What a participant announces about itself. Texts are printable and at most kText long.
struct DdsAnnouncement {
  static constexpr std::size_t kText = 64;
  using Prefix = std::array<std::uint8_t, 12>;

  Prefix prefix{};  // who it is
  bool leaves = false;
  std::uint16_t vendor = 0;
  std::string name{};     // entity name; may be empty, as what follows
  std::string process{};  // of Cyclone DDS's properties
  std::string host{};     // likewise
  std::optional<Nanoseconds> lease{};
};

/// Whether a datagram is RTPS.
bool is_rtps(std::span<const std::byte> datagram);

/// The announcement in a datagram; empty when it has none that can be read. A datagram that was cut may have one.
std::optional<DdsAnnouncement> read_dds_announcement(std::span<const std::byte> datagram);

/// "Cyclone DDS"; "vendor 01.7F" for one without a name here.
std::string dds_vendor_name(std::uint16_t vendor);

/// Participants of DDS that robots have announced. One that announces its end, or is silent for longer than its lease,
/// is removed. An announcement applies to the robot's own participants alone; when there are too many, the newest ones
/// of the robot that has most are removed. Control thread.
class DdsParticipants {
 public:
  static constexpr std::size_t kMost = 1024;  // at a time

  void take(const std::string& robot, std::uint16_t domain, const DdsAnnouncement& announcement, HostTime at);
  /// An announcement that could not be read.
  void take_unread() { ++unread_; }
  /// Without the frames missed, which it does not know.
  [[nodiscard]] DdsStatus status(HostTime now) const;

 private:
  struct Participant {
    std::uint16_t domain = 0;
    DdsAnnouncement said{};
    HostTime first{}, last{};
    std::uint64_t announcements = 0;
    [[nodiscard]] bool is_here(HostTime now) const;
  };

  using Key = std::pair<std::string, DdsAnnouncement::Prefix>;  // robot, announced prefix
  using Participants = std::map<Key, Participant>;

  void forget_gone(HostTime now);
  bool make_room(const std::string& robot, HostTime at);
  void forget(Participants::iterator participant);

  Participants participants_;
  std::map<std::string, std::size_t> counts_;  // of participants_, by robot
  HostTime looked_{};                          // for those that are gone
  std::uint64_t left_ = 0;                     // announced their end
  std::uint64_t silent_ = 0;                   // lease expired, of those that were removed
  std::uint64_t refused_ = 0;                  // announcements beyond kMost, and participants that went for others
  std::uint64_t unread_ = 0;
};

}  // namespace hilgate
