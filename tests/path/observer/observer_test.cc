// SPDX-License-Identifier: Apache-2.0
// Event the packet path says of frames to a capture.
#include "path/observer/observer.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Event = FrameEvent::What;

class ObserverTest : public testing::Test {
 protected:
  void start(const PathSettings& settings, std::size_t ring_bytes = std::size_t{1} << 20) {
    rig = std::make_unique<GatewayRig>(settings);
    rig->publish({});
    ring = std::make_unique<EventRing>(ring_bytes, rig->ports.size(), settings.robots.size(), EventRing::Numbers{});
    ring->snaplen = 65535;
    rig->path->observer().write_to(ring.get());
  }
  void TearDown() override {
    if (rig) {
      rig->path->observer().write_to(nullptr);
      rig->iterate();
    }
  }
  void pass(std::uint32_t port, const Bytes& frame) {
    rig->arrive(port, frame);
    rig->clock.advance(1us);
    rig->iterate();
  }
  /// All that was said since the last call.
  std::vector<std::pair<FrameEvent, Bytes>> said() {
    std::vector<std::pair<FrameEvent, Bytes>> events;
    std::uint64_t at = ring->read();
    for (const std::uint64_t end = ring->written(); at != end;) {
      const FrameEvent& event = ring->at(at);
      if (event.what != Event::kSkip) {
        const auto bytes = event.bytes();
        events.emplace_back(event, Bytes(bytes.begin(), bytes.end()));
      }
      at += event.size;
    }
    ring->read_to(at);
    return events;
  }

  std::unique_ptr<GatewayRig> rig;
  std::unique_ptr<EventRing> ring;
};

Bytes unicast(std::uint32_t from, std::uint32_t to, std::size_t size = 100) {
  return ethernet({mac_of(to), mac_of(from)}, 0x88b5, payload(size, from));
}

TEST_F(ObserverTest, AFramesEventsHaveItsNumberAndItsBytes) {
  start(plain_settings(2));
  const Bytes frame = unicast(1, 2);
  pass(0, frame);
  const auto events = said();
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].first.what, Event::kCaptured);
  EXPECT_EQ(events[1].first.what, Event::kFate);
  EXPECT_EQ(events[2].first.what, Event::kReleased);
  for (const auto& [event, bytes] : events) {
    EXPECT_EQ(event.packet, 1U);
    EXPECT_EQ(event.length, frame.size());
    EXPECT_EQ(bytes, event.what == Event::kFate ? Bytes{} : frame);
  }
  EXPECT_EQ(events[2].first.link, link_of(RobotSlot{0}, RobotSlot{1}, 2));
}

TEST_F(ObserverTest, EveryDeliveryEndsOnceAndTheTotalsAgree) {
  PathSettings settings = plain_settings(3);
  settings.air.rules[1].impairments = independent_loss(0.3);
  settings.air.rules[1].policy = ErrorPolicy::kCorruptRaw;
  settings.air.rules[1].extra_hazard = hazard_of(1e-3);
  start(settings);
  std::map<Event, std::uint64_t> counts;
  std::set<std::uint64_t> captured;
  const auto count = [&] {
    for (const auto& [event, bytes] : said()) {
      ++counts[event.what];
      if (event.what == Event::kCaptured) {
        EXPECT_TRUE(captured.insert(event.packet).second);
      } else {
        EXPECT_TRUE(captured.contains(event.packet));
      }
    }
  };
  for (unsigned i = 0; i < 300; ++i) {
    pass(0, unicast(1, 2));
    pass(1, ethernet({kBroadcast, mac_of(2)}, 0x88b5, payload(80, i)));
    pass(2, unicast(9, 1));  // of nobody
    count();
  }
  rig->path->drain();
  count();
  const PathTotals& totals = rig->path->totals();
  EXPECT_EQ(counts[Event::kCaptured], totals.frames_captured);
  EXPECT_EQ(counts[Event::kReleased], totals.released);
  EXPECT_EQ(counts[Event::kRefused], rig->dropped(DropReason::kUnknownSender));
  EXPECT_EQ(counts[Event::kDropped] + counts[Event::kRefused], totals.dropped_total());
  EXPECT_GT(rig->dropped(DropReason::kConfiguredLoss), 0U);
  EXPECT_GT(totals.damaged, 0U);
}

TEST_F(ObserverTest, OverflowIsCountedAndThePathContinues) {
  start(plain_settings(2), 2048);
  for (unsigned i = 0; i < 100; ++i) {
    pass(0, unicast(1, 2, 400));
  }
  std::uint64_t there[2] = {0, 0};
  for (const auto& [event, bytes] : said()) {
    ++there[event.what == Event::kCaptured ? 0 : 1];
  }
  EXPECT_EQ(rig->path->totals().released, 100U);
  EXPECT_EQ(there[0] + ring->missed.captured[0].get(), 100U);
  EXPECT_EQ(there[1] + ring->missed.towards[1].get() + ring->missed.fates.get(), 200U);
  pass(0, unicast(1, 2));
  EXPECT_EQ(said().size(), 3U);
}

TEST_F(ObserverTest, NumbersOfAnEarlierCaptureAreNotTaken) {
  PathSettings settings = plain_settings(2);
  settings.air.rules[1].extra_delay = 10us;
  start(settings);
  pass(0, unicast(1, 2));
  EventRing next(1 << 16, 2, 2, {.session = 2});
  next.snaplen = 10;
  rig->path->observer().write_to(&next);
  rig->run(20us);
  rig->path->observer().write_to(nullptr);
  rig->iterate();
  ASSERT_NE(next.written(), 0U);
  EXPECT_EQ(next.at(0).what, Event::kReleased);
  EXPECT_EQ(next.at(0).packet, 0U);
  EXPECT_EQ(next.at(0).bytes().size(), 10U);
}

}  // namespace
}  // namespace hilgate::test
