// SPDX-License-Identifier: Apache-2.0
// hilgate bench stream: delay, loss and the highest rate of whatever lies between two interfaces of this machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "clock/time.h"

namespace hilgate {

struct StreamBenchOptions {
  std::string from;           // NETNS:INTERFACE: a name as of `ip netns` or a path; none: this program's
  std::string to;             // the same; both are Ethernets, or both have IP packets alone (TUN)
  std::uint32_t size = 64;    // bytes with FCS, on an Ethernet; an IP packet alone has 18 less
  std::vector<double> rates;  // frames per second; each is a load
  Nanoseconds delay{};        // that the path is asked for
  Nanoseconds duration = std::chrono::seconds{1};      // of each load
  bool highest = false;                                // look for the highest rate, too
  double loss = 0.005;                                 // share that it may lose
  Nanoseconds trial = std::chrono::milliseconds{100};  // of that search
  bool json = false;
};

/// Sends UDP over IPv4 from 198.18.0.1 to 198.18.0.2 (RFC 2544), between the interfaces' own MAC addresses, and prints
/// for each rate what was lost, and how far delays were from `delay`: lines, or one JSON object. Returns 0. Throws
/// std::runtime_error.
int bench_stream_command(const StreamBenchOptions& options);

}  // namespace hilgate
