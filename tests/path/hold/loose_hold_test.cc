// SPDX-License-Identifier: Apache-2.0
// Deliveries that may overtake others, in the hold and in the timing wheel alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "path/hold/hold.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kStart{7h};
constexpr HostTime kForever = HostTime::max();

struct Popped {
  BufferId name;
  std::uint32_t link;
  friend bool operator==(const Popped&, const Popped&) = default;
};

std::vector<Popped> pop_all(Hold& hold, HostTime now) {
  std::vector<Popped> popped;
  hold.pop_due(now, [&popped](LinkSlot link, std::span<HeldFrame> run) {
    for (const HeldFrame& held : run) {
      popped.push_back({held.buffer, link.value()});
    }
  });
  return popped;
}

// The hold in the plainest way: everything in one sorted map.
class ReferenceHold {
 public:
  void push(std::uint32_t link, HostTime due, BufferId name, bool loose) {
    if (!loose) {
      HostTime& last = last_due_[link];
      due = in_order_[link] > 0 ? std::max(due, last) : due;
      last = due;
      ++in_order_[link];
    }
    held_.emplace(due, Item{name, link, loose});  // equal keys stay in the order of insertion
  }
  std::vector<Popped> pop_all(HostTime now) {
    std::vector<Popped> popped;
    while (!held_.empty() && held_.begin()->first <= now) {
      const Item item = held_.begin()->second;
      popped.push_back({item.name, item.link});
      in_order_[item.link] -= item.loose ? 0 : 1;
      held_.erase(held_.begin());
    }
    return popped;
  }
  [[nodiscard]] std::size_t size() const { return held_.size(); }
  [[nodiscard]] HostTime next_due() const { return held_.begin()->first; }

 private:
  struct Item {
    BufferId name;
    std::uint32_t link;
    bool loose;
  };
  std::multimap<HostTime, Item> held_;
  std::map<std::uint32_t, HostTime> last_due_;
  std::map<std::uint32_t, int> in_order_;
};

struct Load {
  const char* name;
  Nanoseconds horizon;  // delays are even in [-horizon/16, horizon]
  Nanoseconds turn;     // time between two turns is even in [0, turn]
  unsigned loose_of_8;  // how many pushes of 8 are loose
  unsigned burst;
};

class LooseHold : public testing::TestWithParam<Load> {};

std::string run(const Load& load, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit + 1));
  };
  constexpr std::uint32_t kLinks = 5;
  Hold hold(4000, kLinks);
  ReferenceHold reference;
  HostTime now = kStart;
  BufferId name = 0;
  for (int turn = 0; turn < 250; ++turn) {
    for (std::int64_t pushes = below(load.burst); pushes > 0 && hold.size() < 4000; --pushes) {
      const auto link = static_cast<std::uint32_t>(below(kLinks - 1));
      const std::int64_t past = load.horizon.count() / 16;
      const HostTime due = now + Nanoseconds{below(load.horizon.count() + past) - past};
      const bool loose = static_cast<unsigned>(below(7)) < load.loose_of_8;
      const HeldFrame held{.due = due, .buffer = name};
      if (!(loose ? hold.push_loose(LinkSlot{link}, held) : hold.push(LinkSlot{link}, held))) {
        return "full before its capacity";
      }
      reference.push(link, due, name++, loose);
    }
    if (hold.size() != reference.size() || hold.empty() != (reference.size() == 0)) {
      return "counts wrong";
    }
    if (!hold.empty() && hold.next_due() != reference.next_due()) {
      return "next_due is wrong in turn " + std::to_string(turn);
    }
    now += Nanoseconds{below(load.turn.count())};
    if (pop_all(hold, now) != reference.pop_all(now)) {
      return "other frames, or another order, than the reference in turn " + std::to_string(turn);
    }
  }
  return pop_all(hold, kForever) == reference.pop_all(kForever) ? "" : "the rest in another order";
}

TEST_P(LooseHold, EqualsASortedMap) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    ASSERT_EQ(run(GetParam(), seed), "") << GetParam().name << ", seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Loads, LooseHold,
                         testing::Values(Load{"within one slot", 40ns, 5ns, 8, 30}, Load{"1 us", 1us, 100ns, 8, 30},
                                         Load{"1 us, mixed", 1us, 100ns, 4, 30}, Load{"1 ms", 1ms, 100us, 8, 30},
                                         Load{"1 ms, mixed", 1ms, 100us, 5, 30}, Load{"1 s", 1s, 100ms, 8, 30},
                                         Load{"1 s, small steps", 1s, 1ms, 6, 30}, Load{"10 min", 10min, 1min, 8, 30},
                                         Load{"10 min, mixed", 10min, 20s, 4, 30}, Load{"4 h", 4h, 20min, 8, 30},
                                         Load{"4 h, rarely", 4h, 20min, 7, 1}, Load{"all in order", 1ms, 100us, 0, 30}),
                         [](const auto& load) { return "load" + std::to_string(load.index); });

TEST(LooseHold, OvertakesOnItsLink) {
  Hold hold(8, 1);
  ASSERT_TRUE(hold.push_loose(LinkSlot{0}, {.due = kStart + 3ms, .buffer = 1}));
  ASSERT_TRUE(hold.push_loose(LinkSlot{0}, {.due = kStart + 1ms, .buffer = 2}));
  ASSERT_TRUE(hold.push(LinkSlot{0}, {.due = kStart + 2ms, .buffer = 3}));
  EXPECT_EQ(hold.next_due(), kStart + 1ms);
  EXPECT_TRUE(pop_all(hold, kStart + 1ms - 1ns).empty());
  EXPECT_EQ(pop_all(hold, kStart + 1ms), (std::vector<Popped>{{2, 0}}));
  EXPECT_EQ(pop_all(hold, kStart + 1h), (std::vector<Popped>{{3, 0}, {1, 0}}));
  EXPECT_TRUE(hold.empty());
}

TEST(LooseHold, TheSameInstantLeavesInArrivalOrderAcrossBothStructures) {
  Hold hold(1000, 3);
  std::vector<Popped> expected;
  for (std::uint32_t i = 0; i < 900; ++i) {
    const std::uint32_t link = i * 7 % 3;
    const HeldFrame held{.due = kStart, .buffer = i};
    ASSERT_TRUE(i % 5 < 2 ? hold.push(LinkSlot{link}, held) : hold.push_loose(LinkSlot{link}, held));
    expected.push_back({i, link});
  }
  EXPECT_TRUE(pop_all(hold, kStart - 1ns).empty());
  EXPECT_EQ(pop_all(hold, kStart), expected);
}

TEST(LooseHold, IsFullAtItsCapacityTogetherWithOrderedFrames) {
  for (const std::uint32_t loose_of_4 : {4U, 2U}) {
    Hold hold(320, 1);
    for (int round = 0; round < 5; ++round) {
      for (std::uint32_t i = 0; i < 320; ++i) {
        const HeldFrame held{.due = kStart + Nanoseconds{i * 9'973 % 100'000}, .buffer = i};
        ASSERT_TRUE(i % 4 < loose_of_4 ? hold.push_loose(LinkSlot{0}, held) : hold.push(LinkSlot{0}, held)) << i;
      }
      EXPECT_FALSE(hold.push_loose(LinkSlot{0}, {.due = kStart}));
      EXPECT_FALSE(hold.push(LinkSlot{0}, {.due = kStart}));
      EXPECT_EQ(pop_all(hold, kForever).size(), 320U);
    }
  }
}

TEST(LooseHold, RefusedFramesLeaveNoGapInTheOrder) {
  Hold hold(2, 1);
  ASSERT_TRUE(hold.push_loose(LinkSlot{0}, {.due = kStart, .buffer = 1}));
  ASSERT_TRUE(hold.push(LinkSlot{0}, {.due = kStart, .buffer = 2}));
  ASSERT_FALSE(hold.push_loose(LinkSlot{0}, {.due = kStart, .buffer = 3}));
  EXPECT_EQ(pop_all(hold, kStart), (std::vector<Popped>{{1, 0}, {2, 0}}));
}

TEST(LooseHold, ContinuesAfterADrain) {
  Hold hold(100, 1);
  for (const HostTime start : {kStart, kStart + 1s, kStart - 1h}) {
    for (std::uint32_t i = 0; i < 50; ++i) {
      ASSERT_TRUE(hold.push_loose(LinkSlot{0}, {.due = start + Nanoseconds{(50 - i) * 1'000'000}, .buffer = i}));
    }
    EXPECT_TRUE(pop_all(hold, start + 1ms - 1ns).empty());
    EXPECT_EQ(pop_all(hold, start + 10ms).size(), 10U);
    const auto rest = pop_all(hold, kForever);
    ASSERT_EQ(rest.size(), 40U);
    EXPECT_TRUE(std::ranges::is_sorted(rest, std::greater{}, &Popped::name));
  }
}

TEST(LooseHold, KeepsTheContentOfFrames) {
  Hold hold(4, 9);
  std::byte bytes{};
  const HeldFrame sent{.due = kStart, .buffer = 11, .data = &bytes, .length = 1514, .head_length = 60, .damage = 5};
  ASSERT_TRUE(hold.push_loose(LinkSlot{8}, sent));
  hold.pop_due(kStart, [&](LinkSlot link, std::span<HeldFrame> run) {
    ASSERT_EQ(run.size(), 1U);
    EXPECT_EQ(link, LinkSlot{8});
    EXPECT_EQ(std::tuple(run[0].due, run[0].buffer, run[0].data, run[0].length, run[0].head_length, run[0].damage),
              std::tuple(sent.due, sent.buffer, sent.data, sent.length, sent.head_length, sent.damage));
  });
}

TEST(WheelLevel, FindsTheNextSlotAroundTheRing) {
  std::mt19937_64 random(3);
  for (const std::uint32_t count : {1U, 3U, 500U}) {
    WheelLevel level;
    std::vector<std::uint32_t> slots;
    for (std::uint32_t i = 0; i < count; ++i) {
      slots.push_back(static_cast<std::uint32_t>(random() % WheelLevel::kSlots));
      level.set_head(slots.back(), i);
    }
    for (int probe = 0; probe < 200; ++probe) {
      const std::uint32_t from =
          probe % 2 == 0 ? static_cast<std::uint32_t>(random() % WheelLevel::kSlots) : slots[random() % count];
      std::uint32_t expected = WheelLevel::kSlots;
      for (const std::uint32_t slot : slots) {
        expected = std::min(expected, (slot + WheelLevel::kSlots - from) % WheelLevel::kSlots);
      }
      ASSERT_EQ(level.distance(from), expected);
    }
    for (const std::uint32_t slot : slots) {
      level.take(slot);
      EXPECT_EQ(level.head(slot), kNoNode);
    }
    EXPECT_TRUE(level.empty());
  }
}

// One that is due later waits for one that is due earlier and has no lead, but never longer than until it is due.
TEST(LooseHold, LeavesWithinTheLeadOfItsLinkAndNeverBefore) {
  const auto lead_of = [](LinkSlot link) { return link.value() < 2 ? Nanoseconds{100us} : 0ns; };
  std::mt19937_64 random(7);
  Hold hold(4096, 4);
  hold.set_leads(lead_of);
  std::map<BufferId, HostTime> due;
  HostTime now = kStart;
  for (BufferId name = 0; name < 20'000; ++name) {
    const LinkSlot link{static_cast<std::uint32_t>(random() % 4)};
    due[name] = now + Nanoseconds{static_cast<std::int64_t>(random() % 400'000)};
    ASSERT_TRUE(hold.push_loose(link, HeldFrame{.due = due[name], .buffer = name}));
    now += Nanoseconds{static_cast<std::int64_t>(random() % 2'000)};
    for (const Popped& popped : pop_all(hold, now)) {
      ASSERT_GE(now, due[popped.name] - lead_of(LinkSlot{popped.link}));
      due.erase(popped.name);
    }
    for (const auto& [left, at] : due) {
      ASSERT_GT(at, now) << left << " is due and was not given";
    }
  }
  EXPECT_FALSE(pop_all(hold, kForever).empty());
  EXPECT_TRUE(hold.empty());
}

}  // namespace
}  // namespace hilgate::test
