// SPDX-License-Identifier: Apache-2.0
// An idle path makes what is due soon ready before its time. A port that sends in bursts must not let it go then.
#include <gtest/gtest.h>

#include <vector>

#include "path/frame_path.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kImminentDelay = 1ms;

// It runs by itself, so that a path can wait for an instant.
class RunningClock {
 public:
  HostTime now() { return now_ += Nanoseconds{20}; }
  [[nodiscard]] static constexpr Nanoseconds patience() { return 10us; }
  [[nodiscard]] HostTime at() const { return now_; }
  void set(HostTime to) { now_ = to; }

 private:
  HostTime now_{1s};
};

// As dpdk/dpdk_port.h: a device that was full and has room again by the time a burst is.
class BurstPort {
 public:
  static constexpr std::size_t kBurst = 64;

  BurstPort(VectorPool& pool, const RunningClock& clock) : pool_(pool), clock_(clock) {}

  std::size_t capture(std::span<Frame> burst) {
    const std::size_t count = std::min(burst.size(), arrivals.size());
    std::copy_n(arrivals.begin(), count, burst.begin());
    arrivals.erase(arrivals.begin(), arrivals.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }
  bool release(const Frame& frame) {
    if (noted_.size() == kBurst) {
      room = SIZE_MAX;
      send();
    }
    noted_.push_back(frame);
    return true;
  }
  void flush() { send(); }
  [[nodiscard]] std::size_t noting_room() const { return kBurst - noted_.size(); }

  std::vector<Frame> arrivals;
  std::vector<std::pair<HostTime, HostTime>> sent;  // when it arrived, and left
  std::size_t room = SIZE_MAX;                      // of the device

 private:
  void send() {
    const auto count = static_cast<std::ptrdiff_t>(std::min(room, noted_.size()));
    for (auto frame = noted_.begin(); frame != noted_.begin() + count; ++frame) {
      sent.emplace_back(pool_.arrived(*frame), clock_.at());
      pool_.free(*frame);
    }
    noted_.erase(noted_.begin(), noted_.begin() + count);
  }

  VectorPool& pool_;
  const RunningClock& clock_;
  std::vector<Frame> noted_;
};

TEST(ImminentRelease, ABacklogTakesNoFrameAlongBeforeItsTime) {
  VectorPool pool(256);
  RunningClock clock;
  BurstPort red(pool, clock);
  BurstPort blue(pool, clock);
  BurstPort to(pool, clock);
  LinkTableFeed feed(9);
  feed.back().links.assign(9, {.delay = kImminentDelay});
  feed.publish();
  FramePath<BurstPort, VectorPool> path(plain_settings(3), {&red, &blue, &to}, pool, feed);
  const auto arrive = [&](BurstPort& port, unsigned robot, int frames) {
    for (int i = 0; i < frames; ++i) {
      port.arrivals.push_back(*pool.make(udp_frame(robot, 3, 20), clock.at()));
    }
    path.iterate(clock);
  };
  arrive(red, 1, 50);
  clock.set(clock.at() + 500us);
  arrive(blue, 2, 30);
  to.room = 0;  // the first ones wait at the device
  clock.set(clock.at() + 510us);
  path.iterate(clock);
  EXPECT_TRUE(to.sent.empty());
  clock.set(clock.at() + 484us);  // the others are due within the clock's patience
  path.iterate(clock);
  to.room = SIZE_MAX;
  path.iterate(clock);
  EXPECT_EQ(to.sent.size(), 80U);
  for (const auto& [arrived, left] : to.sent) {
    EXPECT_GE(left, arrived + kImminentDelay);
  }
}

}  // namespace
}  // namespace hilgate::test
