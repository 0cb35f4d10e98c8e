// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <net/ethernet.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/bench_network.h"
#include "host/file_descriptor.h"

// UDP over IPv4 between two interfaces, as packet sockets send it: traffic that any relay of frames or packets takes.

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

// Frames of a bench's robots, and the sockets that send and receive them.

namespace hilgate {

inline constexpr std::uint16_t kBenchEthertype = 0x88B5;  // local experimental: not used otherwise
using BenchFrame = std::array<std::byte, 1514>;

/// Throws std::runtime_error with `what` and errno unless `good`.
void check_traffic(bool good, const char* what);

/// From robot `from` to the other one, zeros after its header.
BenchFrame bench_frame(unsigned from);

/// A packet socket at a robot's end, for frames of the EtherType `hears`, 0: none.
FileDescriptor open_bench_socket(const BenchEnds& ends, std::size_t robot, std::uint16_t hears);

/// Frames that came in at a robot, by the kernel's count.
std::uint64_t frames_arrived(const BenchEnds& ends, std::size_t robot);

}  // namespace hilgate
