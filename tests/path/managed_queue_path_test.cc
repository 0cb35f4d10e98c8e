// SPDX-License-Identifier: Apache-2.0
// Queues with active management through the whole path: drops, marks and their counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>

#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kEthernetBytes = 14;
constexpr unsigned kCapable = 2;  // ECT(0)

PathSettings with_rate(const RateLimit& rate, std::uint32_t robots = 2) {
  PathSettings settings = plain_settings(robots);
  settings.air.rules[1].impairments = std::make_shared<const Impairments>(Impairments{.rate = rate});
  return settings;
}
RateLimit managed(QueueDiscipline discipline, bool ecn) {
  QueueRules rules{.discipline = discipline, .target = 5ms, .interval = 20ms, .ecn = ecn};
  return {.bits_per_second = 1e6, .management = rules};
}

// 142 bytes, 1.136 ms of the wire, with the bits of ECN in its header.
Bytes frame_with(unsigned ecn) {
  Bytes frame = udp_frame(1, 2, 100);
  frame[kEthernetBytes + 1] = static_cast<std::byte>(ecn);
  put16(frame, kEthernetBytes + 10, 0);
  const std::span<const std::byte> header(frame.data() + kEthernetBytes, 20);
  put16(frame, kEthernetBytes + 10, static_cast<std::uint16_t>(~ones_sum(header)));
  return frame;
}
unsigned ecn_in(const Bytes& frame) {
  return std::to_integer<unsigned>(frame[kEthernetBytes + 1]) & 3;
}
bool header_right(const Bytes& frame) {
  return ones_sum(std::span<const std::byte>(frame.data() + kEthernetBytes, 20)) == 0xFFFF;
}

class ManagedRig : public GatewayRig {
 public:
  explicit ManagedRig(const PathSettings& wanted) : GatewayRig(wanted) {
    for (auto& port : ports) {
      port->keep_bytes = true;
    }
    publish({});
  }
  // A frame each `gap`.
  void play(Nanoseconds length, const Bytes& frame, Nanoseconds gap = 800us) {
    for (const HostTime end = clock.now() + length; clock.now() < end;) {
      arrive(0, frame);
      run(gap, 100us);
    }
  }
  [[nodiscard]] std::uint64_t marked_on(std::uint32_t port) const {
    std::uint64_t count = 0;
    for (const Sent& frame : sent(port)) {
      count += ecn_in(frame.bytes) == 3 ? 1 : 0;
    }
    return count;
  }
};

class EachDiscipline : public testing::TestWithParam<QueueDiscipline> {};

TEST_P(EachDiscipline, DropsUnderItsOwnReason) {
  ManagedRig rig(with_rate(managed(GetParam(), false)));
  rig.play(600ms, frame_with(kCapable));
  EXPECT_GT(rig.dropped(DropReason::kAqm), 5U);
  EXPECT_EQ(rig.dropped(DropReason::kQueueFull), 0U);
  EXPECT_EQ(rig.path->totals().ecn_marked, 0U);
  EXPECT_TRUE(rig.path->totals().balanced());
  rig.run(2s, 1ms);
  EXPECT_EQ(rig.path->totals().held, 0U);
  EXPECT_EQ(rig.link(0, 1).queued.get(), rig.link(0, 1).unqueued.get());
}

TEST_P(EachDiscipline, MarksAndCountsCapableFrames) {
  ManagedRig rig(with_rate(managed(GetParam(), true)));
  rig.play(400ms, frame_with(kCapable));
  rig.run(2s, 1ms);
  EXPECT_GT(rig.path->totals().ecn_marked, 3U);
  EXPECT_EQ(rig.link(0, 1).ecn_marked.get(), rig.path->totals().ecn_marked);
  EXPECT_EQ(rig.marked_on(1), rig.path->totals().ecn_marked);
  for (const Sent& sent : rig.sent(1)) {
    ASSERT_TRUE(header_right(sent.bytes));
  }
}

TEST_P(EachDiscipline, DropsIncapableFrames) {
  ManagedRig rig(with_rate(managed(GetParam(), true)));
  rig.play(600ms, frame_with(0));
  rig.run(2s, 1ms);
  EXPECT_GT(rig.dropped(DropReason::kAqm), 5U);
  EXPECT_EQ(rig.marked_on(1), 0U);
}

TEST_P(EachDiscipline, AFullQueueIsFullAsAnyOther) {
  RateLimit limit = managed(GetParam(), false);
  limit.queue_frames = 3;
  ManagedRig rig(with_rate(limit));
  for (int i = 0; i < 10; ++i) {
    rig.arrive(0, frame_with(0));
  }
  rig.run(20ms, 100us);
  EXPECT_EQ(rig.sent(1).size(), 4U);
  EXPECT_EQ(rig.dropped(DropReason::kQueueFull), 6U);
}

// A change of something else does not begin the series anew, which would take an interval of 100 ms.
TEST_P(EachDiscipline, ContinuesOverAChangeOfTheConfiguration) {
  RateLimit limit = managed(GetParam(), false);
  const bool is_controller = GetParam() == QueueDiscipline::kPie || GetParam() == QueueDiscipline::kDualPi2;
  limit.management.interval = is_controller ? 20ms : 100ms;
  ManagedRig rig(with_rate(limit));
  rig.play(2s, frame_with(0));
  const std::uint64_t before = rig.dropped(DropReason::kAqm);
  ASSERT_GT(before, 20U);
  rig.change(with_rate(limit));
  rig.play(60ms, frame_with(0));
  EXPECT_GT(rig.dropped(DropReason::kAqm), before);
}

INSTANTIATE_TEST_SUITE_P(All, EachDiscipline,
                         testing::Values(QueueDiscipline::kCodel, QueueDiscipline::kFqCodel, QueueDiscipline::kPie,
                                         QueueDiscipline::kDualPi2));

TEST(ManagedQueuePath, AMarkIsForItsReceiverAlone) {
  ManagedRig rig(with_rate(managed(QueueDiscipline::kCodel, true), 3));
  Bytes to_all = frame_with(kCapable);
  std::fill(to_all.begin(), to_all.begin() + 6, std::byte{0xFF});
  rig.play(400ms, to_all);
  rig.run(2s, 1ms);
  EXPECT_GT(rig.marked_on(1), 3U);
  EXPECT_EQ(rig.marked_on(2), 0U);
  EXPECT_EQ(rig.path->totals().ecn_marked, rig.marked_on(1));
}

TEST(ManagedQueuePath, CodelHoldsTheDelayThatAFifoDoesNot) {
  const auto mean_ms = [](const RateLimit& limit) {
    ManagedRig rig(with_rate(limit));
    // As TCP would: twice the rate until something is lost, then half of it for a while.
    std::uint64_t lost = 0;
    Nanoseconds gap = 568us;
    for (int i = 0; i < 4000; ++i) {
      rig.arrive(0, frame_with(0));
      rig.run(gap, 50us);
      const std::uint64_t now_lost = rig.path->totals().dropped_total();
      gap = now_lost > lost ? 2272us : std::max<Nanoseconds>(gap - 5us, 568us);
      lost = now_lost;
    }
    return static_cast<double>(rig.link(0, 1).delay_ns.get()) / 1e6 / static_cast<double>(rig.link(0, 1).timed.get());
  };
  EXPECT_LT(mean_ms(managed(QueueDiscipline::kCodel, false)), 40);
  EXPECT_GT(mean_ms({.bits_per_second = 1e6, .queue_frames = 500}), 200);
}

}  // namespace
}  // namespace hilgate::test
