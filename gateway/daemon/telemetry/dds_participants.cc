// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/telemetry/dds_participants.h"

#include <chrono>

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kUsualLease = 100s;  // RTPS 2.5, table 9.18: where none is said

}  // namespace

bool DdsParticipants::Participant::is_here(HostTime now) const {
  return now - last <= said.lease.value_or(kUsualLease);
}

void DdsParticipants::take(const std::string& robot, std::uint16_t domain, const DdsAnnouncement& announcement,
                           HostTime at) {
  if (announcement.leaves) {
    left_ += participants_.erase(announcement.prefix);
    return;
  }
  if (participants_.size() >= kMost && !participants_.contains(announcement.prefix)) {
    forget_gone(at);
    if (participants_.size() >= kMost) {
      ++refused_;
      return;
    }
  }
  auto [found, is_new] = participants_.try_emplace(announcement.prefix);
  Participant& participant = found->second;
  participant.robot = robot;
  participant.domain = domain;
  participant.said = announcement;
  participant.first = is_new ? at : participant.first;
  participant.last = at;
  ++participant.announcements;
}

void DdsParticipants::forget_gone(HostTime now) {
  silent_ += std::erase_if(participants_, [now](const auto& each) { return !each.second.is_here(now); });
}

}  // namespace hilgate
