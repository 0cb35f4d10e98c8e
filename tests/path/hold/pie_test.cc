// SPDX-License-Identifier: Apache-2.0
// PIE against RFC 8033, in front of a wire of 10 Mbit/s.
#include "path/hold/pie.h"

#include <gtest/gtest.h>

#include <deque>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kFirst{1s};
constexpr std::uint32_t kBytes = 1250;  // a millisecond of the wire

QueueRules pie(bool ecn = false) {
  return {.discipline = QueueDiscipline::kPie, .target = 15ms, .interval = 15ms, .ecn = ecn};
}

// Frames of kBytes that come `gap` apart, and a wire that sends one each millisecond.
class PieWire {
 public:
  explicit PieWire(const QueueRules& rules) : pie(rules, 1, 7) {}

  void play(Nanoseconds length, Nanoseconds gap, bool capable = false) {
    for (const HostTime end = now_ + length; now_ < end; now_ += gap) {
      serve();
      const QueueVerdict verdict =
          pie.judge({.now = now_, .bytes = kBytes, .left = kBytes * waiting.size(), .capable = capable});
      ++come;
      dropped += verdict == QueueVerdict::kDrop ? 1 : 0;
      marked += verdict == QueueVerdict::kMark ? 1 : 0;
      if (verdict != QueueVerdict::kDrop) {
        waiting.push_back(now_);
      }
    }
  }

  Pie pie;
  std::deque<HostTime> waiting;
  int come = 0, dropped = 0, marked = 0, sent = 0;
  Nanoseconds waited{0};  // all that were sent

 private:
  void serve() {
    while (!waiting.empty() && std::max(free_at_, waiting.front()) <= now_) {
      const HostTime begins = std::max(free_at_, waiting.front());
      const Nanoseconds in_queue = begins - waiting.front();
      waiting.pop_front();
      pie.leaves({.now = begins, .waited = in_queue, .bytes = kBytes, .left = kBytes * waiting.size()});
      free_at_ = begins + 1ms;
      waited += in_queue;
      ++sent;
    }
  }

  HostTime now_ = kFirst;
  HostTime free_at_{};
};

TEST(Pie, LetsABurstOf150MillisecondsPass) {
  PieWire wire(pie());
  wire.play(150ms, 100us);
  EXPECT_EQ(wire.dropped, 0);
  wire.play(500ms, 100us);
  EXPECT_GT(wire.dropped, 0);
}

TEST(Pie, HoldsTheDelayAtItsTargetUnderConstantOverload) {
  PieWire wire(pie());
  wire.play(20s, 800us);  // 12.5 Mbit/s: a fifth is too much
  const int come = wire.come;
  const int dropped = wire.dropped;
  const int sent = wire.sent;
  const Nanoseconds waited = wire.waited;
  wire.play(60s, 800us);
  const double share = static_cast<double>(wire.dropped - dropped) / (wire.come - come);
  EXPECT_NEAR(share, 0.2, 0.01);
  EXPECT_GT(wire.pie.probability(), share) << "RFC 8033, 5.4: drops are further apart than chance has them";
  const double mean_ms = static_cast<double>((wire.waited - waited).count()) / 1e6 / (wire.sent - sent);
  EXPECT_NEAR(mean_ms, 15, 3);
}

TEST(Pie, DropsNothingBelowTheRate) {
  PieWire wire(pie());
  wire.play(20s, 1100us);
  EXPECT_EQ(wire.dropped, 0);
  EXPECT_EQ(wire.pie.probability(), 0);
}

TEST(Pie, ForgetsAfterARest) {
  PieWire wire(pie());
  wire.play(5s, 500us);
  EXPECT_GT(wire.pie.probability(), 0.1);
  wire.play(20s, 10ms);
  EXPECT_EQ(wire.pie.probability(), 0);
}

TEST(Pie, MarksCapableFramesUpToATenthAndDropsAbove) {
  PieWire few(pie(true));
  few.play(20s, 960us, true);  // a twenty-fifth too much, which marks do not take away
  EXPECT_GT(few.marked, 0);
  PieWire many(pie(true));
  many.play(20s, 500us, true);
  EXPECT_GT(many.dropped, 10 * many.marked);
  PieWire without(pie(false));
  without.play(20s, 500us, true);
  EXPECT_EQ(without.marked, 0);
}

TEST(Pie, TheSameSeedDropsTheSame) {
  PieWire one(pie());
  PieWire other(pie());
  one.play(5s, 700us);
  other.play(5s, 700us);
  EXPECT_EQ(one.waiting, other.waiting);
  EXPECT_EQ(one.dropped, other.dropped);
}

}  // namespace
}  // namespace hilgate::test
