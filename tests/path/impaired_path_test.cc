// SPDX-License-Identifier: Apache-2.0
// Impairments through the whole path, on vectors: order, times, queues, copies.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "netsim_link/impairments/flow_rules.h"
#include "tests/support/gateway_rig.h"
#include "tests/support/statistics.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

PathSettings impaired(const Impairments& impairments) {
  PathSettings settings = plain_settings(2);
  settings.air.rules[link_of(RobotSlot{0}, RobotSlot{1}, 2).value()].impairments =
      std::make_shared<const Impairments>(impairments);
  return settings;
}

// Frames that tell their number in the payload's first bytes.
Bytes numbered(std::uint32_t number, std::size_t payload = 100) {
  Bytes frame = udp_frame(1, 2, payload);
  const std::size_t at = frame.size() - payload;
  for (std::size_t i = 0; i < 4; ++i) {
    frame[at + i] = static_cast<std::byte>(number >> (8 * i));
  }
  return frame;
}
std::uint32_t number_of(const Sent& sent, std::size_t payload = 100) {
  const std::size_t at = sent.bytes.size() - payload;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number |= std::to_integer<std::uint32_t>(sent.bytes[at + i]) << (8 * i);
  }
  return number;
}
std::vector<std::uint32_t> numbers(const GatewayRig& rig) {
  std::vector<std::uint32_t> all;
  for (const Sent& sent : rig.sent(1)) {
    all.push_back(number_of(sent));
  }
  return all;
}
std::size_t descents(const std::vector<std::uint32_t>& all) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    count += all[i] < all[i - 1] ? 1 : 0;
  }
  return count;
}

class Rig : public GatewayRig {
 public:
  explicit Rig(const PathSettings& wanted) : GatewayRig(wanted) { ports[1]->keep_bytes = true; }
};

// `count` frames 100 us apart, and time for the last to arrive.
void play(GatewayRig& rig, std::uint32_t count, Nanoseconds rest = 50ms) {
  rig.publish({});
  for (std::uint32_t i = 0; i < count; ++i) {
    rig.arrive(0, numbered(i));
    rig.run(100us, 10us);
  }
  rig.run(rest, 10us);
}

TEST(ImpairedPath, FifoJitterKeepsTheOrderAndNeverReleasesEarly) {
  Rig rig(impaired({.jitter = Jitter{UniformDelay{1ms, 3ms}, JitterMode::kFifo, 0ns}}));
  play(rig, 500);
  ASSERT_EQ(rig.sent(1).size(), 500U);
  EXPECT_EQ(descents(numbers(rig)), 0U);
}

TEST(ImpairedPath, IndependentJitterReorders) {
  Rig rig(impaired({.jitter = Jitter{UniformDelay{1ms, 3ms}, JitterMode::kIndependent, 0ns}}));
  play(rig, 500);
  ASSERT_EQ(rig.sent(1).size(), 500U);
  EXPECT_GT(descents(numbers(rig)), 100U);
}

TEST(ImpairedPath, CorrelatedJitterReordersLessThanIndependent) {
  Rig rig(impaired({.jitter = Jitter{UniformDelay{1ms, 3ms}, JitterMode::kCorrelated, 50ms}}));
  play(rig, 500);
  ASSERT_EQ(rig.sent(1).size(), 500U);
  Rig loose(impaired({.jitter = Jitter{UniformDelay{1ms, 3ms}, JitterMode::kIndependent, 0ns}}));
  play(loose, 500);
  EXPECT_LT(2 * descents(numbers(rig)), descents(numbers(loose)));
}

TEST(ImpairedPath, HeldBackFramesAreOvertakenByLaterOnes) {
  Rig rig(impaired({.reordering = Reordering{0.1, 1ms}}));
  play(rig, 1000);
  const auto order = numbers(rig);
  ASSERT_EQ(order.size(), 1000U);
  std::uint64_t late = 0;
  std::uint32_t most = 0;
  for (const std::uint32_t number : order) {
    late += number < most ? 1 : 0;
    most = std::max(most, number);
  }
  EXPECT_GT(binomial_tails(late, 1000, 0.1), 1e-3) << late;
}

TEST(ImpairedPath, ARateSpacesFramesByTheirLength) {
  // 142 bytes at 1 Mbit/s take 1.136 ms; ten at once leave one after the other.
  Rig rig(impaired({.rate = RateLimit{.bits_per_second = 1e6}}));
  rig.publish({});
  const HostTime start = rig.clock.now();
  for (std::uint32_t i = 0; i < 10; ++i) {
    rig.arrive(0, numbered(i));
  }
  rig.run(20ms, 1us);
  ASSERT_EQ(rig.sent(1).size(), 10U);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const Nanoseconds due = 1136us * (i + 1);
    EXPECT_GE(rig.sent(1)[i].at - start, due);
    EXPECT_LE(rig.sent(1)[i].at - start, due + 2us);
  }
}

TEST(ImpairedPath, EthernetFramingCountsPreambleAndGapAndPadding) {
  const RateLimit limit{.bits_per_second = 1e9, .ethernet_framing = true};
  EXPECT_EQ(limit.time(60), 672ns);  // 84 B on the wire
  EXPECT_EQ(limit.time(20), 672ns);  // padded
  EXPECT_EQ(limit.time(1514), 12304ns);
}

std::vector<std::uint32_t> through_full_queue(const RateLimit& limit, std::uint64_t& dropped) {
  Rig rig(impaired({.rate = limit}));
  rig.publish({});
  for (std::uint32_t i = 0; i < 10; ++i) {
    rig.arrive(0, numbered(i));
  }
  rig.run(30ms, 10us);
  dropped = rig.dropped(DropReason::kQueueFull);
  EXPECT_TRUE(rig.path->totals().balanced());
  EXPECT_EQ(rig.path->totals().held, 0U);
  return numbers(rig);
}

TEST(ImpairedPath, AFullQueueDropsTheNewestOrTheOldest) {
  std::uint64_t dropped = 0;
  EXPECT_EQ(through_full_queue({.bits_per_second = 1e6, .queue_frames = 3}, dropped),
            (std::vector<std::uint32_t>{0, 1, 2, 3}))
      << "the one being sent does not count";
  EXPECT_EQ(dropped, 6U);
  EXPECT_EQ(through_full_queue({.bits_per_second = 1e6, .queue_frames = 3, .drop_head = true}, dropped),
            (std::vector<std::uint32_t>{0, 7, 8, 9}));
  EXPECT_EQ(dropped, 6U);
}

TEST(ImpairedPath, AQueueMayBeLimitedInBytes) {
  std::uint64_t dropped = 0;
  const RateLimit limit{.bits_per_second = 1e6, .queue_bytes = 5 * 142};
  EXPECT_EQ(through_full_queue(limit, dropped), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(dropped, 4U);
}

TEST(ImpairedPath, AQueueMayBeLimitedInTime) {
  std::uint64_t dropped = 0;
  const RateLimit limit{.bits_per_second = 1e6, .queue_time = 5 * 1136us};
  EXPECT_EQ(through_full_queue(limit, dropped), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(dropped, 4U);
  const RateLimit framed{.bits_per_second = 1e6, .ethernet_framing = true, .queue_time = 5 * 1136us};
  EXPECT_EQ(through_full_queue(framed, dropped), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
}

TEST(ImpairedPath, AnIdleWireTakesAFrameThatIsLongerThanItsQueue) {
  Rig rig(impaired({.rate = RateLimit{.bits_per_second = 1e6, .queue_bytes = 100}}));
  rig.publish({});
  rig.arrive(0, numbered(0));
  rig.arrive(0, numbered(1));
  rig.run(10ms, 10us);
  EXPECT_EQ(numbers(rig), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(rig.dropped(DropReason::kQueueFull), 1U);
}

// A frame every 300 us, of which each takes 1.136 ms, past a queue of 3: who finds room is decided when it comes,
// whether the loop takes frames one by one or looks after 20 ms.
TEST(ImpairedPath, AdmissionIsIndependentOfTheLoopsRate) {
  const auto arrivals_taken = [](std::size_t burst, Nanoseconds step, bool drop_head) {
    Rig rig(impaired({.rate = RateLimit{.bits_per_second = 1e6, .queue_frames = 3, .drop_head = drop_head}}));
    rig.publish({});
    rig.ports[0]->burst_limit = burst;
    for (std::uint32_t i = 0; i < 40; ++i) {
      rig.arrive(0, numbered(i), rig.clock.now() + i * 300us);
    }
    rig.run(60ms, step);
    EXPECT_EQ(rig.path->totals().held, 0U);
    return numbers(rig);
  };
  for (const bool drop_head : {false, true}) {
    const auto exact = arrivals_taken(1, 1us, drop_head);
    EXPECT_EQ(exact.size(), 14U);
    EXPECT_EQ(arrivals_taken(SIZE_MAX, 1us, drop_head), exact);
    EXPECT_EQ(arrivals_taken(SIZE_MAX, 20ms, drop_head), exact);
  }
}

TEST(ImpairedPath, FramesLostOnAirTakeTheirTimeInTheQueue) {
  Rig rig(impaired({.rate = RateLimit{.bits_per_second = 1e6}, .loss = IndependentLoss{1}}));
  rig.publish({});
  rig.arrive(0, numbered(0));
  rig.arrive(0, numbered(1));
  rig.run(100us);
  EXPECT_EQ(rig.path->totals().held, 1U);
  EXPECT_EQ(rig.dropped(DropReason::kConfiguredLoss), 1U);
  rig.run(5ms);
  EXPECT_EQ(rig.dropped(DropReason::kConfiguredLoss), 2U);
  EXPECT_EQ(rig.path->totals().held, 0U);
}

TEST(ImpairedPath, DuplicatesFollowWithTheSameBitsAndAreCounted) {
  PathSettings settings = impaired({.duplication = Duplication{1, 1ms}});
  auto& rules = settings.air.rules[1];
  rules.policy = ErrorPolicy::kCorruptRaw;
  rules.extra_hazard = hazard_of(2e-3);
  Rig rig(settings);
  play(rig, 200);
  const std::uint64_t lost = rig.dropped(DropReason::kHeaderHit);
  ASSERT_EQ(rig.sent(1).size(), 2 * (200 - lost));
  EXPECT_EQ(rig.link(0, 1).duplicated.get(), 200 - lost);
  std::vector<Bytes> bytes;
  for (const Sent& sent : rig.sent(1)) {
    bytes.push_back(sent.bytes);
  }
  while (!bytes.empty()) {
    const Bytes first = bytes.front();
    bytes.erase(bytes.begin());
    const auto second = std::find(bytes.begin(), bytes.end(), first);
    ASSERT_NE(second, bytes.end()) << "a delivery without its twin";
    bytes.erase(second);
  }
  EXPECT_GT(rig.path->totals().damaged, 100U);
}

TEST(ImpairedPath, OutagesLoseFramesThatArriveInThem) {
  Rig rig(impaired({.outages = Outages{{{10ms, 5ms, 0ns}}}}));
  // The window that begins now is that of sim time 0.
  rig.feed.back().begins = rig.clock.now();
  play(rig, 300);
  EXPECT_EQ(rig.dropped(DropReason::kOutage), 50U);
  EXPECT_EQ(rig.sent(1).size(), 250U);
}

TEST(ImpairedPath, BurstsFlipRunsOfBits) {
  PathSettings settings = plain_settings(2);
  auto& rules = settings.air.rules[1];
  rules.policy = ErrorPolicy::kCorruptRaw;
  rules.extra_hazard = hazard_of(1e-4);
  rules.burst_continues = 1 - 1.0 / 16;
  Rig rig(settings);
  rig.publish({});
  std::vector<std::uint64_t> runs;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const Bytes sent = udp_frame(1, 2, 1000);
    rig.arrive(0, sent);
    rig.run(10us);
    rig.ports[1]->reap();
  }
  for (const Sent& got : rig.sent(1)) {
    const Bytes sent = udp_frame(1, 2, 1000);
    std::uint64_t run = 0;
    for (std::size_t bit = 0; bit < 8 * sent.size(); ++bit) {
      const auto flipped = std::to_integer<unsigned>(sent[bit / 8] ^ got.bytes[bit / 8]) >> (bit % 8) & 1U;
      if (flipped != 0) {
        ++run;
      } else if (run > 0) {
        runs.push_back(run);
        run = 0;
      }
    }
  }
  ASSERT_GT(runs.size(), 1000U);
  double mean = 0;
  for (const std::uint64_t run : runs) {
    mean += static_cast<double>(run) / static_cast<double>(runs.size());
  }
  EXPECT_NEAR(mean, 16, 3.3 * 16 / std::sqrt(static_cast<double>(runs.size())));
}

TEST(ImpairedPath, WithoutHeaderProtectionErrorsHitEveryByte) {
  PathSettings settings = plain_settings(2);
  auto& rules = settings.air.rules[1];
  rules.policy = ErrorPolicy::kCorruptRaw;
  rules.extra_hazard = hazard_of(5e-3);
  rules.protect_headers = false;
  Rig rig(settings);
  play(rig, 500);
  ASSERT_EQ(rig.sent(1).size(), 500U) << "no header hit loses a frame";
  const Bytes clean = udp_frame(1, 2, 100);
  std::uint64_t mac_hits = 0;
  for (const Sent& sent : rig.sent(1)) {
    mac_hits += std::equal(clean.begin(), clean.begin() + 14, sent.bytes.begin()) ? 0 : 1;
  }
  EXPECT_GT(binomial_tails(mac_hits, 500, -std::expm1(14 * 8 * std::log1p(-5e-3))), 1e-3) << mac_hits;
}

// One link with a rule for UDP with an even first byte of its payload, which is the frame's number.
PathSettings ruled(Impairments changes, std::optional<Nanoseconds> delay, std::shared_ptr<FlowCounter>& matched) {
  FlowRule rule{.filter = FlowFilter("udp and udp[8] & 1 = 0"), .changes = std::move(changes), .delay = delay};
  matched = rule.matched;
  return impaired({.flows = std::make_shared<const FlowRules>(FlowRules{{std::move(rule)}})});
}

TEST(ImpairedPath, ARuleLosesTheFramesOfItsFlowAlone) {
  std::shared_ptr<FlowCounter> matched;
  Rig rig(ruled({.loss = IndependentLoss{1}}, std::nullopt, matched));
  play(rig, 200);
  EXPECT_EQ(rig.sent(1).size(), 100U);
  for (const std::uint32_t number : numbers(rig)) {
    EXPECT_EQ(number % 2, 1U);
  }
  EXPECT_EQ(rig.dropped(DropReason::kConfiguredLoss), 100U);
  EXPECT_EQ(matched->load(), 100U);
}

TEST(ImpairedPath, EveryNthFrameOfALinkIsLostForItsOwnReason) {
  Rig rig(impaired({.every = PeriodicLoss{10}}));
  play(rig, 200);
  EXPECT_EQ(rig.dropped(DropReason::kEveryNth), 20U);
  for (const std::uint32_t number : numbers(rig)) {
    EXPECT_NE(number % 10, 9U);
  }
}

// The others do not wait for the flow that is delayed, and it keeps its order.
TEST(ImpairedPath, ARuleWithADelayIsAnOrderOfItsOwn) {
  std::shared_ptr<FlowCounter> matched;
  Rig rig(ruled({.jitter = Jitter{UniformDelay{0ms, 3ms}, JitterMode::kFifo, 0ns}}, 5ms, matched));
  play(rig, 200);
  ASSERT_EQ(rig.sent(1).size(), 200U);
  std::vector<std::uint32_t> even;
  std::vector<std::uint32_t> odd;
  for (const Sent& sent : rig.sent(1)) {
    const std::uint32_t number = number_of(sent);
    (number % 2 == 0 ? even : odd).push_back(number);
  }
  EXPECT_EQ(descents(even), 0U);
  EXPECT_EQ(descents(odd), 0U);
  for (std::size_t i = 0; i < 25; ++i) {
    EXPECT_EQ(number_of(rig.sent(1)[i]), 2 * i + 1)
        << "frame 0 is under way for 5 ms at least, and no other waits for it";
  }
}

// A change of something else continues where the rule was.
TEST(ImpairedPath, ARuleThatStaysOverAChangeContinues) {
  FlowRule rule{.filter = FlowFilter("udp"), .changes = {.every = PeriodicLoss{10}}};
  const auto settings_with = [&rule](Nanoseconds delay) {
    PathSettings settings = impaired({.flows = std::make_shared<const FlowRules>(FlowRules{{rule}})});
    settings.air.rules[link_of(RobotSlot{0}, RobotSlot{1}, 2).value()].extra_delay = delay;
    return settings;
  };
  Rig rig(settings_with(0ms));
  play(rig, 7);
  rig.change(settings_with(1ms));
  play(rig, 2);
  EXPECT_EQ(rig.dropped(DropReason::kEveryNth), 0U);
  play(rig, 1);
  EXPECT_EQ(rig.dropped(DropReason::kEveryNth), 1U) << "the tenth frame";
  rule.matched = std::make_shared<FlowCounter>(0);  // another rule
  rig.change(settings_with(1ms));
  play(rig, 9);
  EXPECT_EQ(rig.dropped(DropReason::kEveryNth), 1U);
  play(rig, 1);
  EXPECT_EQ(rig.dropped(DropReason::kEveryNth), 2U);
}

}  // namespace
}  // namespace hilgate::test
