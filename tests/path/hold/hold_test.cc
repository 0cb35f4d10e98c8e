// SPDX-License-Identifier: Apache-2.0
#include "path/hold/hold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kStart{1'000'000ns};

// Puts in a frame named by `name`, which comes back as the buffer of the frame popped.
bool push(Hold& hold, std::uint32_t link, HostTime due, BufferId name) {
  return hold.push(LinkSlot{link}, HeldFrame{.due = due, .buffer = name});
}

std::vector<BufferId> pop_all(Hold& hold, HostTime now) {
  std::vector<BufferId> names;
  hold.pop_due(now, [&names](LinkSlot, std::span<HeldFrame> run) {
    for (const HeldFrame& held : run) {
      names.push_back(held.buffer);
    }
  });
  return names;
}

// The hold as its header describes it, in the plainest way.
class ReferenceHold {
 public:
  void push(std::uint32_t link, HostTime due, BufferId name) {
    for (const Item& item : items_) {
      due = item.link == link ? std::max(due, item.due) : due;
    }
    items_.push_back({link, due, name});
  }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  void set_leads(const std::vector<Nanoseconds>& leads) { leads_ = leads; }
  std::vector<BufferId> pop_all(HostTime now) {
    const auto leaves = [this](const Item& item) { return item.due - (leads_.empty() ? 0ns : leads_[item.link]); };
    std::vector<BufferId> names;
    for (;;) {
      const auto first = std::ranges::min_element(items_, {}, leaves);  // the first of equals, so in arrival order
      if (first == items_.end() || leaves(*first) > now) {
        return names;
      }
      names.push_back(first->name);
      items_.erase(first);
    }
  }

 private:
  struct Item {
    std::uint32_t link;
    HostTime due;
    BufferId name;
  };
  std::vector<Item> items_;
  std::vector<Nanoseconds> leads_;  // by link
};

// What a hold under test does at `now`. Two are wrong on purpose: the properties below must notice them.
struct RightHold {
  Hold hold;
  std::vector<BufferId> pop(HostTime now) { return pop_all(hold, now); }
};
struct EarlyHold {
  Hold hold;
  std::vector<BufferId> pop(HostTime now) { return pop_all(hold, now + 1ns); }
};
struct LateHold {
  Hold hold;
  std::vector<BufferId> pop(HostTime now) { return pop_all(hold, now - 1ns); }
};

// Random schedules, dense in time so that ties and neighbours are frequent. Returns what went wrong first.
template <class AnyHold>
std::string run_schedule(std::uint64_t seed, Nanoseconds longest_lead = 0ns) {
  std::mt19937_64 random(seed);
  const std::uint64_t links = 1 + random() % 7;
  const std::uint64_t burst = random() % 2 == 0 ? 4 : 100;  // the latter spans several blocks of a link
  const std::size_t capacity = 16 + random() % 400;
  AnyHold any{Hold(capacity, links)};
  ReferenceHold reference;
  std::vector<HostTime> asked;  // by name
  HostTime now = kStart;
  for (int step = 0; step < 300; ++step) {
    now += Nanoseconds{static_cast<std::int64_t>(random() % 4)};
    if (longest_lead > 0ns && random() % 8 == 0) {
      std::vector<Nanoseconds> leads(links);
      for (Nanoseconds& lead : leads) {
        lead = random() % 3 == 0 ? 0ns : Nanoseconds{static_cast<std::int64_t>(random()) % longest_lead.count()};
        lead = std::max(lead, 0ns);
      }
      any.hold.set_leads([&leads](LinkSlot of) { return leads[of.value()]; });
      reference.set_leads(leads);
    }
    for (auto pushes = random() % burst; pushes > 0 && reference.size() < capacity; --pushes) {
      const auto link = static_cast<std::uint32_t>(random() % links);
      const HostTime due = now + Nanoseconds{static_cast<std::int64_t>(random() % 24) - 4};
      if (!push(any.hold, link, due, asked.size())) {
        return "seed " + std::to_string(seed) + ": full before its capacity";
      }
      reference.push(link, due, asked.size());
      asked.push_back(due);
    }
    const auto popped = any.pop(now);
    for (const BufferId name : popped) {
      if (asked[name] > now + longest_lead) {
        return "seed " + std::to_string(seed) + ": released early";
      }
    }
    if (popped != reference.pop_all(now)) {
      return "seed " + std::to_string(seed) + ": other frames, or another order, than the reference";
    }
    if (any.hold.size() != reference.size() || any.hold.empty() != (reference.size() == 0)) {
      return "seed " + std::to_string(seed) + ": counts wrong";
    }
  }
  return "";
}

TEST(Hold, NeverEarlyInOrderAndNothingForgottenOverRandomSchedules) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    ASSERT_EQ(run_schedule<RightHold>(seed), "");
  }
}

TEST(Hold, LinksWithALeadLeaveThatMuchEarlierAndNoOtherDoes) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    ASSERT_EQ(run_schedule<RightHold>(seed, 16ns), "");
  }
}

TEST(Hold, ALeadAppliesToWhatIsHeldAlready) {
  Hold hold(4, 2);
  push(hold, 0, kStart + 500us, 1);
  push(hold, 1, kStart + 490us, 2);
  hold.set_leads([](LinkSlot link) { return link == LinkSlot{0} ? Nanoseconds{100us} : 0ns; });
  EXPECT_EQ(hold.next_due(), kStart + 400us);
  EXPECT_TRUE(pop_all(hold, kStart + 400us - 1ns).empty());
  EXPECT_EQ(pop_all(hold, kStart + 400us), std::vector<BufferId>{1});
  hold.set_leads([](LinkSlot) { return 0ns; });
  EXPECT_TRUE(pop_all(hold, kStart + 490us - 1ns).empty());
  EXPECT_EQ(pop_all(hold, kStart + 490us), std::vector<BufferId>{2});
}

TEST(Hold, ThePropertyNoticesOneNanosecondEarly) {
  EXPECT_NE(run_schedule<EarlyHold>(1), "");
}

TEST(Hold, ThePropertyNoticesOneNanosecondLate) {
  EXPECT_NE(run_schedule<LateHold>(1), "");
}

TEST(Hold, ReleasesAtTheInstantAndNotANanosecondBefore) {
  Hold hold(4, 1);
  push(hold, 0, kStart + 500ns, 1);
  EXPECT_EQ(hold.next_due(), kStart + 500ns);
  EXPECT_TRUE(pop_all(hold, kStart + 499ns).empty());
  EXPECT_EQ(pop_all(hold, kStart + 500ns).size(), 1U);
  EXPECT_TRUE(hold.empty());
  EXPECT_TRUE(pop_all(hold, HostTime::max()).empty());
}

TEST(Hold, LinkStaysInOrderWhenALaterFrameIsDueFirst) {
  Hold hold(8, 2);
  push(hold, 0, kStart + 900ns, 1);
  push(hold, 0, kStart + 100ns, 2);  // raised to its predecessor's
  push(hold, 1, kStart + 500ns, 3);
  EXPECT_EQ(pop_all(hold, kStart + 899ns), (std::vector<BufferId>{3}));
  EXPECT_EQ(pop_all(hold, kStart + 900ns), (std::vector<BufferId>{1, 2}));
}

TEST(Hold, TiesLeaveInArrivalOrderAcrossLinks) {
  Hold hold(64, 16);
  std::vector<BufferId> expected;
  for (std::uint32_t i = 0; i < 48; ++i) {
    push(hold, (i * 5) % 16, kStart, i);
    expected.push_back(i);
  }
  EXPECT_EQ(pop_all(hold, kStart), expected);
}

TEST(Hold, EmptiedLinkForgetsReleasedFrames) {
  Hold hold(4, 1);
  push(hold, 0, kStart + 10s, 1);
  EXPECT_EQ(pop_all(hold, HostTime::max()).size(), 1U);  // as drain() does
  push(hold, 0, kStart + 1ms, 2);
  EXPECT_EQ(hold.next_due(), kStart + 1ms);
}

TEST(Hold, HoldsItsCapacityAndRefusesTheNext) {
  for (const std::uint32_t links : {1U, 3U, 30U}) {
    Hold hold(100, links);
    for (std::uint32_t i = 0; i < 100; ++i) {
      ASSERT_TRUE(push(hold, i % links, kStart + Nanoseconds{i}, i)) << i << " of " << links << " links";
    }
    EXPECT_FALSE(push(hold, 0, kStart, 100));
    EXPECT_EQ(hold.size(), 100U);
    EXPECT_EQ(pop_all(hold, HostTime::max()).size(), 100U);
    EXPECT_TRUE(push(hold, 0, kStart, 101));
  }
}

// With more links than blocks, a link that has none is refused; those that have one go on.
TEST(Hold, ManyLinksMayRunOutOfBlocksBeforeTheCapacity) {
  Hold hold(100, 1000);
  std::uint32_t links = 0;
  while (push(hold, links, kStart, links)) {
    ++links;
  }
  EXPECT_GE(links, 64U);
  EXPECT_EQ(hold.size(), links);
  EXPECT_TRUE(push(hold, 0, kStart, 5000));
  EXPECT_EQ(pop_all(hold, kStart).size(), links + 1);
}

TEST(Hold, OfNothingHoldsNothing) {
  Hold hold(0, 4);
  EXPECT_FALSE(push(hold, 0, kStart, 1));
  EXPECT_TRUE(pop_all(hold, HostTime::max()).empty());
}

// A run handed out together must not jump over a frame of another link that is due before its end.
TEST(Hold, RunsOfOneLinkStopWhereAnotherLinkIsDue) {
  Hold hold(200, 2);
  std::vector<BufferId> expected;
  for (std::uint32_t i = 0; i < 100; ++i) {
    push(hold, i / 10 % 2, kStart + Nanoseconds{i}, i);
    expected.push_back(i);
  }
  EXPECT_EQ(pop_all(hold, kStart + 1us), expected);
}

// A link whose frames are many more than a block, half of them popped at a time.
TEST(Hold, BlocksAreReusedWithoutEnd) {
  Hold hold(64, 1);
  BufferId next_in = 0;
  BufferId next_out = 0;
  for (int round = 0; round < 1000; ++round) {
    while (hold.size() < 64) {
      ASSERT_TRUE(push(hold, 0, kStart + Nanoseconds{static_cast<std::int64_t>(next_in)}, next_in));
      ++next_in;
    }
    for (const BufferId name : pop_all(hold, kStart + Nanoseconds{static_cast<std::int64_t>(next_out + 40)})) {
      ASSERT_EQ(name, next_out++);
    }
  }
}

TEST(Slab, OfNoNodesGivesNone) {
  struct Node {
    NodeIndex next;
  };
  Slab<Node> slab(0);
  EXPECT_EQ(slab.take(), kNoNode);
  EXPECT_EQ(slab.bytes(), 0U);
  Slab<Node> one(1);
  const NodeIndex node = one.take();
  EXPECT_NE(node, kNoNode);
  EXPECT_EQ(one.take(), kNoNode);
  one.give_back(node);
  EXPECT_EQ(one.used(), 0U);
  EXPECT_EQ(one.take(), node);
}

// Runs of one link, longer and shorter than blocks, into two holds: one by one and by an entry. What comes out is one
// order, and what did not fit is the same.
TEST(Hold, AnEntryPutsInAsOneByOne) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    constexpr std::size_t kFrames = 200;
    Hold single(kFrames, 6, 2);
    Hold together(kFrames, 6, 2);
    HostTime now = kStart;
    BufferId name = 0;
    for (int step = 0; step < 60; ++step) {
      const auto link = static_cast<std::uint32_t>(random() % 6);
      const std::size_t room = random() % 90;
      {
        std::vector<HeldFrame> frames(random() % 100);
        std::size_t fitting = 0;
        for (HeldFrame& frame : frames) {
          frame = {.due = now + Nanoseconds{random() % 50}, .buffer = ++name};
          fitting += fitting < room && push(single, link, frame.due, name) ? 1 : 0;
        }
        Hold::Entry entry(together, LinkSlot{link}, room);
        std::size_t written = 0;
        const auto next = [&](HeldFrame& place) {
          const bool more = written < frames.size();
          if (more) {
            place = frames[written++];
          }
          return more;
        };
        std::size_t refused = 0;
        HeldFrame held;
        while (entry.put_while(next) && next(held)) {
          refused += entry.put(held) ? 0 : 1;
        }
        ASSERT_EQ(refused, frames.size() - fitting) << "round " << round << ", step " << step;
      }
      ASSERT_EQ(together.size(), single.size());
      ASSERT_EQ(together.held_by_sender(LinkSlot{link}), single.held_by_sender(LinkSlot{link}));
      now += Nanoseconds{random() % 60};
      ASSERT_EQ(pop_all(together, now), pop_all(single, now)) << "round " << round << ", step " << step;
    }
    ASSERT_EQ(pop_all(together, HostTime::max()), pop_all(single, HostTime::max()));
  }
}

// In FIFOs and among loose ones, in runs that begin anywhere in a block.
TEST(Hold, RunsCountThePlainDeliveriesAtTheirFront) {
  std::mt19937_64 random(5);
  Hold hold(1000, 2);
  HostTime now = kStart;
  std::size_t altered = 0;
  for (int step = 0; step < 2000; ++step) {
    for (std::size_t i = random() % 40; i > 0; --i) {
      HeldFrame held{.due = now + Nanoseconds{random() % 20}};
      held.ptp = random() % 50 == 0;
      held.damage = random() % 50 == 0 ? NodeIndex{7} : kNoNode;
      const LinkSlot link{static_cast<std::uint32_t>(random() % 2)};
      ASSERT_TRUE(random() % 4 == 0 ? hold.push_loose(link, held) : hold.push(link, held));
    }
    now += Nanoseconds{random() % 10};
    while (hold.pop_run(now, [&](const DueRun& run) {
      const auto first = std::ranges::find_if_not(run.frames, &HeldFrame::is_plain);
      EXPECT_EQ(run.plain, static_cast<std::size_t>(first - run.frames.begin()));
      altered += first == run.frames.end() ? 0 : 1;
    })) {
    }
  }
  EXPECT_GT(altered, 500U);
}

}  // namespace
}  // namespace hilgate::test
