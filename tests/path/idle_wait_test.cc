// SPDX-License-Identifier: Apache-2.0
// When a packet loop sleeps, and what wakes it. Sleeps here are real, and an hour long: only what is tested ends them.
#include "path/idle_wait.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <thread>
#include <utility>

#include "frame/spsc_ring.h"
#include "tests/support/fake_clock.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr IdleSettings kSleeps{.mode = IdleMode::kSleep, .longest = 1h};

// What IdleWait asks of a FramePath.
struct StillPath {
  std::uint64_t moved = 0;
  HostTime due = HostTime::max();
  bool input = false;
  bool unfinished = false;
  bool wakes = true;
  int arrival_fd = -1;
  HostTime slept_until{};
  bool arms = false;  // ports have interrupts, which are on while `armed`
  bool armed = false;
  bool slept_armed = false;

  [[nodiscard]] std::uint64_t activity() const { return moved; }
  [[nodiscard]] HostTime next_due() const { return due; }
  [[nodiscard]] bool has_input() const { return input; }
  [[nodiscard]] bool ports_unfinished() const { return unfinished; }
  [[nodiscard]] bool arrivals_wake() const { return wakes; }
  template <class Each>
  void each_arrival_fd(Each each) const {
    if (arrival_fd >= 0) {
      each(arrival_fd);
    }
  }
  bool arm_arrivals() { return !std::exchange(armed, true) && arms; }
  void disarm_arrivals() { armed = false; }
  void note_sleep(HostTime woke) {
    slept_until = woke;
    slept_armed = armed;
  }
};

class IdleWaitTest : public ::testing::Test {
 protected:
  IdleWaitTest() : arrival_(::eventfd(1, EFD_CLOEXEC)) { path.arrival_fd = arrival_.get(); }

  // Iterations in which nothing happens, for a time.
  void rest(IdleWait& wait, Nanoseconds length) {
    for (const HostTime end = clock.now() + length; clock.now() < end; clock.advance(1us)) {
      wait.after_iteration(path, clock, [] { return false; });
    }
  }

  // A frame, and then nothing for `pause`: how long the loop polls on before its first sleep.
  Nanoseconds polled_on_after_a_frame(IdleWait& wait, Nanoseconds pause) {
    ++path.moved;
    wait.after_iteration(path, clock, [] { return false; });
    const HostTime began = clock.now();
    for (const std::uint64_t sleeps = wait.report().sleeps; clock.now() < began + pause; clock.advance(1us)) {
      wait.after_iteration(path, clock, [] { return false; });
      if (wait.report().sleeps > sleeps) {
        break;
      }
    }
    const Nanoseconds polled = clock.now() - began;
    clock.set(began + pause);
    return polled;
  }

  StillPath path;
  FakeClock clock;

 private:
  FileDescriptor arrival_;  // readable: a frame is there, so that no sleep lasts
};

TEST_F(IdleWaitTest, PollsOnForAWhileAfterWorkAndThenSleeps) {
  IdleWait wait(kSleeps);
  for (int i = 0; i < 100; ++i) {
    ++path.moved;
    rest(wait, IdleWait::kLinger);
  }
  EXPECT_EQ(wait.report().sleeps, 0U);
  rest(wait, 5us);
  EXPECT_GT(wait.report().sleeps, 0U);
  EXPECT_EQ(path.slept_until, clock.now() - 1us);
}

// One ping in 10 ms is nothing to wait for: its robot gets the processor at once.
TEST_F(IdleWaitTest, SleepsAtOnceWhereNoFrameFollowsSoon) {
  IdleWait wait(kSleeps);
  EXPECT_EQ(polled_on_after_a_frame(wait, 10ms), IdleWait::kLinger);
  for (int i = 0; i < 5; ++i) {
    polled_on_after_a_frame(wait, 10ms);
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_LE(polled_on_after_a_frame(wait, 10ms), 1us);
  }
}

TEST_F(IdleWaitTest, PollsOnAfterRequestsAndNotAfterAnswers) {
  IdleWait wait(kSleeps);
  Nanoseconds polled{0};
  for (int i = 0; i < 100; ++i) {
    const Nanoseconds to_answer = polled_on_after_a_frame(wait, 30us);
    const Nanoseconds to_request = polled_on_after_a_frame(wait, 10ms);
    if (i >= 20) {
      EXPECT_EQ(to_answer, 30us) << "round " << i;
      polled += to_request;
    }
  }
  EXPECT_LE(polled, 80 * 1us);
}

TEST_F(IdleWaitTest, PollsOnAgainWhenFramesFollowSoonAgain) {
  IdleWait wait(kSleeps);
  for (int i = 0; i < 100; ++i) {
    polled_on_after_a_frame(wait, 10ms);
  }
  for (int i = 0; i < 40; ++i) {
    polled_on_after_a_frame(wait, 40us);
  }
  EXPECT_EQ(polled_on_after_a_frame(wait, 40us), 40us);
}

// What arrives before the interrupts are on raises none.
TEST_F(IdleWaitTest, PollsOnceAfterEnablingInterruptsAndDisablesThemAfterwards) {
  IdleWait wait(kSleeps);
  path.arms = true;
  rest(wait, IdleWait::kLinger + 1us);
  EXPECT_TRUE(path.armed);
  EXPECT_EQ(wait.report().sleeps, 0U);
  ++path.moved;  // it was there already
  rest(wait, 1us);
  EXPECT_FALSE(path.armed);
  EXPECT_EQ(wait.report().sleeps, 0U);
  rest(wait, IdleWait::kLinger + 4us);
  EXPECT_GT(wait.report().sleeps, 0U);
  EXPECT_TRUE(path.slept_armed);
}

TEST_F(IdleWaitTest, DoesNotSleepWhenAReleaseIsNear) {
  IdleWait wait(kSleeps);
  path.due = clock.now() + IdleWait::kLinger + 60us;
  rest(wait, IdleWait::kLinger + 59us);
  EXPECT_EQ(wait.report().sleeps, 0U);
  path.due = clock.now() + 200us;
  rest(wait, 2us);
  EXPECT_GT(wait.report().sleeps, 0U);
}

TEST_F(IdleWaitTest, DoesNotSleepWithPendingInputOrRequests) {
  IdleWait wait(kSleeps);
  path.input = true;
  rest(wait, 1ms);
  path.input = false;
  for (int i = 0; i < 1000; ++i) {
    wait.after_iteration(path, clock, [] { return true; });
  }
  EXPECT_EQ(wait.report().sleeps, 0U);
}

TEST_F(IdleWaitTest, PollsOnWhileAPortHasFramesToSend) {
  IdleWait wait(kSleeps);
  path.unfinished = true;
  rest(wait, IdleWait::kUnfinishedLinger);
  EXPECT_EQ(wait.report().sleeps, 0U);
}

TEST_F(IdleWaitTest, NeverSleepsWhenConfiguredToPoll) {
  IdleWait wait({.mode = IdleMode::kPoll});
  rest(wait, 1ms);
  EXPECT_EQ(wait.report().sleeps, 0U);
}

// Each of these sleeps would last an hour.
TEST_F(IdleWaitTest, AnotherThreadsCallEndsTheSleep) {
  IdleWait wait(kSleeps);
  path.arrival_fd = -1;
  rest(wait, IdleWait::kLinger);
  std::atomic<bool> over{false};
  std::jthread other([&] {
    while (!over) {
      wait.waker().wake();
      std::this_thread::yield();
    }
  });
  while (wait.report().sleeps < 100) {
    wait.after_iteration(path, clock, [] { return false; });
    clock.advance(1us);
  }
  over = true;
}

// A port that cannot wake anybody, and a release: both end a sleep of an hour by time.
TEST_F(IdleWaitTest, SleepsAreShortWherePortsMustBeLookedAt) {
  IdleWait wait(kSleeps);
  path.arrival_fd = -1;
  path.wakes = false;
  rest(wait, IdleWait::kLinger + 2us);
  EXPECT_GT(wait.report().sleeps, 0U);
  path.wakes = true;
  path.due = clock.now() + 300us;
  const std::uint64_t before = wait.report().sleeps;
  wait.after_iteration(path, clock, [] { return false; });
  EXPECT_EQ(wait.report().sleeps, before + 1);
}

// If a call could be missed, the reader would sleep for an hour over an item that lies in the ring.
TEST(LoopWaker, NoItemIsLeftLying) {
  constexpr std::uint32_t kItems = 50'000;
  SpscRing<std::uint32_t> ring(64);
  LoopWaker waker;
  std::jthread writer([&] {
    for (std::uint32_t item = 0; item < kItems; ++item) {
      while (!ring.push(item)) {
        std::this_thread::yield();
      }
      waker.wake();
      if (item % 7 == 0) {
        std::this_thread::yield();
      }
    }
  });
  pollfd watched{.fd = waker.fd(), .events = POLLIN, .revents = 0};
  for (std::uint32_t next = 0; next < kItems;) {
    std::uint32_t item = 0;
    while (ring.pop(item)) {
      ASSERT_EQ(item, next++);
    }
    waker.announce();
    if (ring.front() == nullptr && next < kItems) {
      ASSERT_EQ(::poll(&watched, 1, 3'600'000), 1);
    }
    waker.withdraw();
  }
}

}  // namespace
}  // namespace hilgate::test
