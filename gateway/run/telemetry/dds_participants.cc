// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/dds_participants.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kLook = 1s;          // between two checks for expired participants, where there are too many
constexpr Nanoseconds kUsualLease = 100s;  // RTPS 2.5, table 9.18: the default

}  // namespace

bool DdsParticipants::Participant::is_here(HostTime now) const {
  return now - last <= said.lease.value_or(kUsualLease);
}

void DdsParticipants::take(const std::string& robot, std::uint16_t domain, const DdsAnnouncement& announcement,
                           HostTime at) {
  const Key key{robot, announcement.prefix};
  auto found = participants_.find(key);
  if (announcement.leaves) {
    if (found != participants_.end()) {
      forget(found);
      ++left_;
    }
    return;
  }
  if (found == participants_.end()) {
    if (participants_.size() >= kMost && !make_room(robot, at)) {
      ++refused_;
      return;
    }
    found = participants_.try_emplace(key, Participant{.first = at}).first;
    ++counts_[robot];
  }
  Participant& participant = found->second;
  participant.domain = domain;
  participant.said = announcement;
  participant.last = at;
  ++participant.announcements;
}

// So a robot that makes participants up keeps out those of no other.
bool DdsParticipants::make_room(const std::string& robot, HostTime at) {
  if (at - looked_ >= kLook) {
    looked_ = at;
    forget_gone(at);
  }
  if (participants_.size() < kMost) {
    return true;
  }
  const auto most = std::max_element(counts_.begin(), counts_.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto own = counts_.find(robot);
  if (most->second <= (own == counts_.end() ? 0 : own->second) + 1) {
    return false;
  }
  const auto begin = participants_.lower_bound({most->first, {}});
  forget(std::max_element(begin, std::next(begin, static_cast<std::ptrdiff_t>(most->second)),
                          [](const auto& a, const auto& b) { return a.second.first < b.second.first; }));
  ++refused_;
  return true;
}

void DdsParticipants::forget(Participants::iterator participant) {
  const auto count = counts_.find(participant->first.first);
  if (--count->second == 0) {
    counts_.erase(count);
  }
  participants_.erase(participant);
}

void DdsParticipants::forget_gone(HostTime now) {
  for (auto each = participants_.begin(); each != participants_.end();) {
    const auto participant = each++;
    if (!participant->second.is_here(now)) {
      forget(participant);
      ++silent_;
    }
  }
}

}  // namespace hilgate

// What `hilgate status` shows of DDS.

namespace hilgate {

DdsStatus DdsParticipants::status(HostTime now) const {
  DdsStatus status{.participants = {}, .left = left_, .silent = silent_, .refused = refused_, .unread = unread_};
  for (const auto& [key, participant] : participants_) {
    if (!participant.is_here(now)) {
      ++status.silent;
      continue;
    }
    status.participants.push_back({.robot = key.first,
                                   .domain = participant.domain,
                                   .vendor = dds_vendor_name(participant.said.vendor),
                                   .name = participant.said.name,
                                   .process = participant.said.process,
                                   .host = participant.said.host,
                                   .announcements = participant.announcements,
                                   .here_s = seconds_of(now - participant.first),
                                   .silent_s = seconds_of(now - participant.last)});
  }
  return status;
}

}  // namespace hilgate
