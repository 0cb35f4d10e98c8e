// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/windows/packet_ledger.h"

#include <algorithm>

namespace hilgate {

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
