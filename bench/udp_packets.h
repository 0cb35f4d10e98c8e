// SPDX-License-Identifier: Apache-2.0
// UDP over IPv4 between two interfaces, as packet sockets send it: traffic that any relay of frames or packets takes.
#pragma once

#include <net/ethernet.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/bench_ends.h"

namespace hilgate {

/// The ends NETNS:INTERFACE. Throws std::runtime_error when there is no such namespace or interface.
BenchEnds udp_ends(const std::string& from, const std::string& to);

class UdpPackets {
 public:
  static constexpr std::uint16_t kEthertype = ETHERTYPE_IP;

  /// Frames of `wire_size` bytes with FCS; where the interfaces have IP packets alone, the packets of such frames.
  /// Throws std::runtime_error when one end is an Ethernet and the other is not.
  UdpPackets(const BenchEnds& ends, std::size_t wire_size);

  /// Bytes that a packet socket is given, `head` at their beginning.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::vector<std::byte>& head() const { return head_; }

 private:
  std::vector<std::byte> head_;
  std::size_t size_ = 0;
};

}  // namespace hilgate
