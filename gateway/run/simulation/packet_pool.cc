// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/simulation/packet_pool.h"

namespace hilgate {

Frame PacketPool::add(const Packet& packet, std::uint32_t length, HostTime arrived) {
  if (free_.empty()) {
    free_.push_back(packets_.size());
    packets_.emplace_back();
  }
  const BufferId buffer = free_.back();
  free_.pop_back();
  Packet& kept = (*this)[buffer] = packet;
  kept.owners = 1;
  return {.buffer = buffer,
          .data = kept.header.data(),
          .arrived = arrived,
          .length = length,
          .head_length = static_cast<std::uint32_t>(kept.header.size())};
}

void PacketPool::recycle() {
  free_.insert(free_.end(), gone_.begin(), gone_.end());
  gone_.clear();
}

std::size_t PacketPort::capture(std::span<Frame> burst) {
  std::size_t count = 0;
  for (; count < burst.size() && !arrived_.empty(); ++count) {
    burst[count] = arrived_.front();
    arrived_.pop_front();
  }
  return count;
}

}  // namespace hilgate
