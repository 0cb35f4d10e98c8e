// SPDX-License-Identifier: Apache-2.0
// Numbered, stamped frames from one robot to another: which arrived, in which order, how long each was under way.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/netns/running_gateway.h"
#include "tests/support/packets.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {

struct Arrival {
  std::uint64_t sequence = 0;
  std::int64_t delay_ns = 0;  // both ends on CLOCK_MONOTONIC, from before send() to after recvmsg()
  std::int64_t sent_ns = 0;   // on CLOCK_MONOTONIC
};

struct Numbered {
  std::size_t frames = 100;
  std::size_t frame_bytes = 100;          // without FCS
  std::chrono::microseconds interval{0};  // between two frames; 0: as quickly as the gateway takes them
  MacAddress to = robot_mac(1);
  bool alone = true;  // nobody else sends meanwhile: what the gateway captures is this
};

/// The caller's thread sends; each receiver has a thread of its own.
class NumberedTraffic {
 public:
  /// From robot 0 to the robots `receivers`.
  explicit NumberedTraffic(const RunningGateway& gateway, const std::vector<std::size_t>& receivers = {1});

  /// Sends, and receives until the gateway holds nothing any more and all it released is there. Arrivals by receiver.
  std::vector<std::vector<Arrival>> exchange(const Numbered& traffic);
  /// As above, with one receiver.
  std::vector<Arrival> to_one(const Numbered& traffic) { return exchange(traffic).front(); }

 private:
  const RunningGateway* gateway_;
  RawSocket sender_;
  std::vector<std::unique_ptr<RawSocket>> receivers_;
};

/// The q-quantile of the delays, q in [0, 1].
std::chrono::nanoseconds delay_quantile(const std::vector<Arrival>& arrivals, double q);

/// Sequence numbers of 0..frames-1 that did not arrive.
std::vector<std::uint64_t> lost(const std::vector<Arrival>& arrivals, std::size_t frames);

}  // namespace hilgate::test
