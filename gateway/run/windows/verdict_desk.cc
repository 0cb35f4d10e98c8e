// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/windows/verdict_desk.h"

#include <algorithm>
#include <optional>

#include "clock/time.h"

namespace hilgate {

std::span<const CapturedPacket> VerdictDesk::offer(SimTime before, std::uint64_t window) {
  packets_.clear();
  source_.take(before, packets_);
  ledger_.offer(packets_, window);
  stats_.offered += packets_.size();
  return packets_;
}

void VerdictDesk::judge(NetworkAnswer& answer, std::optional<SimTime> now) {
  verdicts_.clear();
  forgotten_.clear();
  for (Verdict& verdict : answer.verdicts) {
    if (!ledger_.knows(verdict.packet)) {
      ++stats_.unknown;
      continue;
    }
    check(verdict, now);
    stats_.retries += verdict.retries;
    verdicts_.push_back(verdict);
  }
  stats_.verdicts += verdicts_.size();
  for (const std::uint64_t packet : answer.forget) {
    if (ledger_.forget(packet)) {
      forgotten_.push_back(packet);
      ++stats_.forgotten;
    }
  }
}

void VerdictDesk::check(Verdict& verdict, std::optional<SimTime> now) {
  if (verdict.drop != AirDrop::kNone) {
    return;
  }
  if (!(verdict.ber >= 0 && verdict.ber < 1)) {
    ++stats_.bad_ber;
    verdict.drop = AirDrop::kBitErrors;
    verdict.ber = 0;
    return;
  }
  verdict.release_at = std::max(verdict.release_at, SimTime{});
  if (now && !rest_of_hold(verdict.release_at.time_since_epoch(), now->time_since_epoch())) {
    stats_.late.record(*now - verdict.release_at);
    if (options_.late == LatePolicy::kDiscard) {
      ++stats_.discarded;
      verdict.drop = AirDrop::kTooLate;
    }
  }
}

void VerdictDesk::expire(std::uint64_t window, SimTime from) {
  forgotten_.clear();
  if (options_.packet_hold_windows) {
    // The reference deletes what it offered in window k after the releases of window k + hold.
    if (window > *options_.packet_hold_windows) {
      ledger_.expire_offered(window - 1 - *options_.packet_hold_windows, forgotten_);
    }
  } else {
    ledger_.expire_captured(from - options_.packet_hold, forgotten_);
  }
  stats_.expired += forgotten_.size();
}

void VerdictDesk::expire_all() {
  forgotten_.clear();
  ledger_.expire_captured(SimTime::max(), forgotten_);
  stats_.expired += forgotten_.size();
}

void PacketLedger::offer(std::span<const CapturedPacket> packets, std::uint64_t window) {
  for (const CapturedPacket& packet : packets) {
    entries_.push_back(
        {.id = packet.id, .captured = packet.captured, .window = window, .ends = {packet.sender, packet.receiver}});
    ++waiting_;
  }
}

const PacketLedger::Entry* PacketLedger::find(std::uint64_t packet) const {
  const auto found = std::ranges::lower_bound(entries_, packet, {}, &Entry::id);
  return found != entries_.end() && found->id == packet && found->waits ? &*found : nullptr;
}

bool PacketLedger::forget(std::uint64_t packet) {
  const auto found = std::ranges::lower_bound(entries_, packet, {}, &Entry::id);
  if (found == entries_.end() || found->id != packet || !found->waits) {
    return false;
  }
  found->waits = false;
  --waiting_;
  while (!entries_.empty() && !entries_.front().waits) {
    entries_.pop_front();
  }
  return true;
}

template <class IsOld>
void PacketLedger::expire(IsOld is_old, std::vector<std::uint64_t>& forgotten) {
  while (!entries_.empty() && (!entries_.front().waits || is_old(entries_.front()))) {
    if (entries_.front().waits) {
      forgotten.push_back(entries_.front().id);
      last_expired_ = entries_.front().ends;
      --waiting_;
    }
    entries_.pop_front();
  }
}

void PacketLedger::expire_captured(SimTime before, std::vector<std::uint64_t>& forgotten) {
  expire([before](const Entry& entry) { return entry.captured < before; }, forgotten);
}

void PacketLedger::expire_offered(std::uint64_t window, std::vector<std::uint64_t>& forgotten) {
  expire([window](const Entry& entry) { return entry.window <= window; }, forgotten);
}

}  // namespace hilgate
