// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "clock/time.h"
#include "gateway/daemon/telemetry/dds_announcement.h"

namespace hilgate {

/// Participants of DDS that robots have announced. One that says farewell, or is silent for longer than its lease, is
/// gone. Control thread.
class DdsParticipants {
 public:
  static constexpr std::size_t kMost = 1024;  // at a time

  void take(const std::string& robot, std::uint16_t domain, const DdsAnnouncement& announcement, HostTime at);
  /// An announcement that could not be read.
  void take_unread() { ++unread_; }
  /// For the status document.
  [[nodiscard]] nlohmann::ordered_json json(HostTime now) const;

 private:
  struct Participant {
    std::string robot;
    std::uint16_t domain = 0;
    DdsAnnouncement said{};
    HostTime first{}, last{};
    std::uint64_t announcements = 0;
    [[nodiscard]] bool is_here(HostTime now) const;
  };

  void forget_gone(HostTime now);

  std::map<DdsAnnouncement::Prefix, Participant> participants_;
  std::uint64_t left_ = 0;     // said farewell
  std::uint64_t silent_ = 0;   // fell silent, as far as they are forgotten
  std::uint64_t refused_ = 0;  // announcements beyond kMost
  std::uint64_t unread_ = 0;
};

}  // namespace hilgate
