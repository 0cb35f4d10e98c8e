// SPDX-License-Identifier: Apache-2.0
// Frames that have been held for long come back into the cache before they leave, and a crowd leaves in turns.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "path/hold/hold.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kAheadStart{1'000'000ns};
constexpr std::size_t kMany = 20'000;

/// Frames named 0, 1, 2, ... in the order of their link, and what look_ahead() has said of them.
class Looked {
 public:
  explicit Looked(std::size_t links) : hold(links * kMany, links), pushed(links), popped(links), seen(links) {}

  void push(std::uint32_t link, HostTime due) {
    ASSERT_TRUE(hold.push(LinkSlot{link}, HeldFrame{.due = due, .buffer = pushed[link]++}));
    hold.look_ahead(LinkSlot{link}, [&](const HeldFrame& soon) {
      EXPECT_GE(soon.buffer, seen[link]) << "looked at twice, link " << link;
      EXPECT_GE(soon.buffer, popped[link]) << "has left, link " << link;
      EXPECT_LT(soon.buffer, pushed[link]) << "never came, link " << link;
      seen[link] = soon.buffer + 1;
    });
  }
  void pop(HostTime now) {
    hold.pop_due(now, [&](LinkSlot link, std::span<HeldFrame> run) {
      for (const HeldFrame& held : run) {
        EXPECT_EQ(held.buffer, popped[link.value()]);
        unseen += held.buffer >= seen[link.value()] ? 1 : 0;
        ++popped[link.value()];
      }
    });
  }

  Hold hold;
  std::vector<std::uint64_t> pushed, popped, seen;
  std::uint64_t unseen = 0;  // left without having been looked at
};

TEST(LookAhead, NamesEachFrameOnceBeforeItLeaves) {
  Looked looked(1);
  for (std::size_t i = 0; i < 10'000; ++i) {
    looked.push(0, kAheadStart + Nanoseconds{i});
  }
  EXPECT_GT(looked.seen[0], 0U);
  for (std::size_t i = 10'000; i < 60'000; ++i) {
    looked.push(0, kAheadStart + Nanoseconds{i});
    looked.pop(kAheadStart + Nanoseconds{i - 10'000});
  }
  EXPECT_EQ(looked.unseen, 0U);
}

TEST(LookAhead, LeavesAFewFramesAlone) {
  Looked looked(1);
  for (std::size_t i = 0; i < 5'000; ++i) {
    looked.push(0, kAheadStart + Nanoseconds{i});
  }
  EXPECT_EQ(looked.seen[0], 0U);
}

// In crowds of any size, past what was looked at and back: the names stay those of frames that are held.
TEST(LookAhead, KeepsItsPlaceWhenFramesLeaveInCrowds) {
  std::mt19937_64 random(1);
  Looked looked(3);
  HostTime due = kAheadStart;
  for (int step = 0; step < 1000; ++step) {
    const auto link = static_cast<std::uint32_t>(random() % 3);
    for (std::size_t i = random() % 600; i > 0 && looked.pushed[link] - looked.popped[link] < kMany - 100; --i) {
      looked.push(link, due += Nanoseconds{random() % 3});
    }
    if (step > 100) {
      looked.pop(due - Nanoseconds{20'000 + random() % 40'000});
    }
  }
  looked.pop(HostTime::max());
  EXPECT_EQ(looked.popped, looked.pushed);
  EXPECT_GT(looked.seen[0], 5'000U);
}

TEST(LookAhead, PathPrefetchesFramesThatLeaveSoon) {
  PathSettings settings = plain_settings(2);
  settings.hold_frames = kMany;
  GatewayRig rig(settings, kMany, 512);
  rig.publish({.delay = 1ms});
  for (int i = 0; i < 9'000; ++i) {
    rig.arrive(0, udp_frame(1, 2, 20));
    rig.iterate();
  }
  EXPECT_GT(rig.pool.fetched(), 0U);
}

TEST(FramePath, ACrowdLeavesInSeveralTurnsAndInOrder) {
  using Path = GatewayRig::Path;
  PathSettings settings = plain_settings(2);
  settings.hold_frames = kMany;
  GatewayRig rig(settings, kMany, 512);
  rig.publish({.delay = 1ms});
  const std::size_t crowd = 3 * Path::kReleasesPerIteration;
  for (std::size_t i = 0; i < crowd; ++i) {
    rig.arrive(0, udp_frame(1, 2, 20 + i % 100));
    rig.iterate();
  }
  rig.clock.advance(1ms);
  std::size_t sent = 0;
  for (int turn = 0; turn < 3; ++turn) {
    rig.arrive(1, udp_frame(2, 1, 20));  // is captured meanwhile
    rig.iterate();
    EXPECT_GT(rig.sent(1).size(), sent);
    EXPECT_LE(rig.sent(1).size() - sent, Path::kReleasesPerIteration + Path::kBurst);
    sent = rig.sent(1).size();
  }
  EXPECT_EQ(sent, crowd);
  EXPECT_EQ(rig.path->totals().frames_captured, crowd + 3);
  EXPECT_TRUE(rig.path->totals().balanced());
}

}  // namespace
}  // namespace hilgate::test
