// SPDX-License-Identifier: Apache-2.0
// DualPI2 against what RFC 9332 promises: flows of both kinds at one bottleneck get about the same rate, the L4S line's
// delay stays near a millisecond and the classic one's near the target; and the rules for frames that neither serve.
#include "path/hold/dual_pi2.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kSegment = 1500;
constexpr Nanoseconds kSegmentTime = 300us;  // 40 Mbit/s
constexpr HostTime kDualBegin{1s};

QueueRules dualpi2() {
  return {.discipline = QueueDiscipline::kDualPi2, .target = 15ms, .interval = 16ms, .ecn = true};
}

// Congestion control of an ideal flow: one reaction for each acknowledgement, of Reno (RFC 5681) or of a scalable flow
// (RFC 9332, appendix: half a segment less for each mark).
struct Flow {
  bool scalable = false;
  double window = 10;  // segments
  std::uint64_t in_flight = 0;
  HostTime recovers_until{};  // Reno: one reduction in a round trip
  std::uint64_t delivered = 0;
  std::vector<Nanoseconds> waits{};

  void acknowledge(HostTime now, bool marked, Nanoseconds round_trip) {
    --in_flight;
    if (scalable) {
      window = std::max(2.0, window + 1 / window - (marked ? 0.5 : 0));
    } else if (marked && now >= recovers_until) {
      window = std::max(2.0, window / 2);
      recovers_until = now + round_trip;
    } else if (!marked) {
      window += 1 / window;
    }
  }
  [[nodiscard]] double mean_wait_ms() const {
    double sum = 0;
    for (const Nanoseconds wait : waits) {
      sum += static_cast<double>(wait.count());
    }
    return sum / 1e6 / static_cast<double>(waits.size());
  }
  [[nodiscard]] double wait_ms_of(double share) {
    std::ranges::sort(waits);
    return static_cast<double>(waits[static_cast<std::size_t>(share * static_cast<double>(waits.size() - 1))].count()) /
           1e6;
  }
};

// Flows with a full buffer at a wire of 40 Mbit/s, 10 ms beyond the queue.
void play(std::vector<Flow>& flows, Nanoseconds length, Nanoseconds counted_from) {
  constexpr Nanoseconds kRoundTrip = 10ms;
  struct Ack {
    HostTime at{};
    std::uint32_t flow = 0;
    bool marked = false;
    Nanoseconds waited{0};
  };
  Slab<QueuedDelivery> nodes(65536);
  DualPi2 queue(dualpi2());
  std::deque<Ack> acks;
  std::uint64_t waiting = 0;
  HostTime free_at = kDualBegin;
  for (HostTime now = kDualBegin; now < kDualBegin + length; now += 50us) {
    while (!acks.empty() && acks.front().at <= now) {
      const Ack ack = acks.front();
      acks.pop_front();
      flows[ack.flow].acknowledge(now, ack.marked, kRoundTrip + ack.waited);
    }
    for (std::uint32_t flow = 0; flow < flows.size(); ++flow) {
      for (; static_cast<double>(flows[flow].in_flight) < std::floor(flows[flow].window); ++flows[flow].in_flight) {
        const NodeIndex node = nodes.take();
        nodes[node] = {.pending = {.length = kSegment},
                       .ready = now,
                       .capable = true,
                       .scalable = flows[flow].scalable,
                       .flow = flow};
        queue.append(nodes, node);
        ++waiting;
      }
    }
    const auto lose = [&](const QueuedDelivery& taken) {
      --waiting;
      acks.push_back({now + kRoundTrip, taken.flow, true, now - taken.ready});
    };
    for (; waiting > 0 && free_at <= now; free_at = std::max(free_at, now - 50us) + kSegmentTime) {
      const QueuedDelivery sent = queue.pop(nodes, now, lose);
      --waiting;
      acks.push_back({now + kRoundTrip, sent.flow, sent.congestion, now - sent.ready});
      if (now >= kDualBegin + counted_from) {
        ++flows[sent.flow].delivered;
        flows[sent.flow].waits.push_back(now - sent.ready);
      }
    }
  }
}

TEST(DualPi2, AScalableAndAClassicFlowShareTheWireAndEachHasItsDelay) {
  std::vector<Flow> flows{{.scalable = true}, {.scalable = false}};
  play(flows, 60s, 20s);
  const double scalable = static_cast<double>(flows[0].delivered);
  const double classic = static_cast<double>(flows[1].delivered);
  EXPECT_GT(scalable + classic, 0.95 * (40s / kSegmentTime)) << "the wire is busy";
  // A scalable flow has 2 / (2 p') segments in a round trip, Reno 1.22 / p' (RFC 9332, 2.1; M. Mathis et al., 1997).
  const double by_formula = (10 + flows[1].mean_wait_ms()) / (10 + flows[0].mean_wait_ms()) / 1.22;
  EXPECT_NEAR(scalable / classic / by_formula, 1, 0.25);
  EXPECT_LT(flows[0].mean_wait_ms(), 1.5);
  EXPECT_LT(flows[0].wait_ms_of(0.99), 3);
  EXPECT_NEAR(flows[1].mean_wait_ms(), 15, 6);
}

TEST(DualPi2, ScalableFlowsAloneHaveTheDelayOfTheRamp) {
  std::vector<Flow> flows(4, {.scalable = true});
  play(flows, 30s, 10s);
  for (Flow& flow : flows) {
    EXPECT_LT(flow.mean_wait_ms(), 2);
  }
}

struct Taken {
  int passed = 0, marked = 0, dropped = 0;
};

// A frame each 200 us where the wire needs 300 us, of which the sender takes no notice.
Taken overload(bool capable, bool scalable, Nanoseconds length) {
  Slab<QueuedDelivery> nodes(65536);
  DualPi2 queue(dualpi2());
  Taken taken;
  std::uint64_t waiting = 0;
  HostTime free_at = kDualBegin;
  for (HostTime now = kDualBegin; now < kDualBegin + length; now += 200us) {
    const NodeIndex node = nodes.take();
    nodes[node] = {.pending = {.length = kSegment}, .ready = now, .capable = capable, .scalable = scalable};
    queue.append(nodes, node);
    ++waiting;
    for (; waiting > 0 && free_at <= now; free_at = free_at + kSegmentTime) {
      const QueuedDelivery sent = queue.pop(nodes, now, [&](const QueuedDelivery&) {
        --waiting;
        ++taken.dropped;
      });
      --waiting;
      ++(sent.congestion ? taken.marked : taken.passed);
    }
  }
  return taken;
}

TEST(DualPi2, DropsFramesWithoutEcn) {
  const Taken taken = overload(false, false, 20s);
  EXPECT_EQ(taken.marked, 0);
  EXPECT_GT(taken.dropped, 20s / 200us / 4) << "a third is too much for the wire";
}

TEST(DualPi2, DropsCapableFramesWhereMarksDoNotHelp) {
  const Taken taken = overload(true, false, 20s);
  EXPECT_GT(taken.marked, 0);
  EXPECT_GT(taken.dropped, 20s / 200us / 4);
}

TEST(DualPi2, MarksAllOfAnL4sLineAboveTheRamp) {
  const Taken taken = overload(true, true, 2s);
  EXPECT_EQ(taken.dropped, 0);
  EXPECT_GT(taken.marked, 50 * std::max(taken.passed, 1));
}

TEST(DualPi2, AnIdleQueueMarksNothing) {
  Slab<QueuedDelivery> nodes(16);
  DualPi2 queue(dualpi2());
  HostTime now = kDualBegin;
  for (int i = 0; i < 1000; ++i, now += 5ms) {
    const NodeIndex node = nodes.take();
    nodes[node] = {.pending = {.length = kSegment}, .ready = now, .capable = true, .scalable = i % 2 == 0};
    queue.append(nodes, node);
    EXPECT_FALSE(queue.pop(nodes, now + 100us, [](const QueuedDelivery&) { ADD_FAILURE(); }).congestion) << i;
  }
  EXPECT_EQ(queue.base_probability(), 0);
}

}  // namespace
}  // namespace hilgate::test
