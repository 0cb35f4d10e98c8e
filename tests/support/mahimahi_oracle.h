// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace hilgate::test {

/// A packet as mm-link sees it.
struct MahimahiPacket {
  std::int64_t arrival_ns = 0;  // since the link's start, not before that of the packet in front
  std::uint32_t bytes = 0;      // the IP packet and 4 bytes
};

/// When each packet leaves, in ms; -1 for never. Written from the rule of Mahimahi's LinkQueue::rationalize(), one
/// opportunity after the other on its clock of whole milliseconds, with a queue that has no limit.
inline std::vector<std::int64_t> mahimahi_departures(const std::vector<std::int64_t>& schedule_ms, bool repeat,
                                                     const std::vector<MahimahiPacket>& packets, std::int64_t end_ms) {
  std::vector<std::int64_t> departures(packets.size(), -1);
  std::size_t head = 0;
  std::uint32_t left_of_head = packets.empty() ? 0 : packets[0].bytes;
  std::int64_t base = 0;
  std::size_t next = 0;
  while (next < schedule_ms.size() && base + schedule_ms[next] <= end_ms) {
    const std::int64_t now = base + schedule_ms[next];
    if (++next == schedule_ms.size() && repeat) {
      next = 0;
      base += schedule_ms.back();
    }
    // What arrives in a millisecond comes behind its opportunities.
    for (std::uint32_t left = 1504; left > 0 && head < packets.size() && packets[head].arrival_ns / 1'000'000 < now;) {
      const std::uint32_t sent = left < left_of_head ? left : left_of_head;
      left -= sent;
      left_of_head -= sent;
      if (left_of_head == 0) {
        departures[head] = now;
        left_of_head = ++head < packets.size() ? packets[head].bytes : 0;
      }
    }
  }
  return departures;
}

}  // namespace hilgate::test
