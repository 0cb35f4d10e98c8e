// SPDX-License-Identifier: Apache-2.0
// A robot whose frames are held for long, at a rate that fills the hold or the frame memory.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/fault/fault_record.h"
#include "tests/support/gateway_rig.h"
#include "xdp/umem.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST(Fault, FullHoldRefusesOnlyTheSenderThatFilledIt) {
  PathSettings settings = plain_settings(4);
  settings.hold_frames = 100;
  for (LinkRules& rules : settings.air.rules) {
    rules.extra_delay = 60s;
  }
  settings.air.rules[2 * 4 + 3].extra_delay = 1ms;
  GatewayRig rig(settings);
  for (int i = 0; i < 300; ++i) {
    rig.arrive(0, udp_frame(1, 2, 50));
    if (i % 10 == 0) {
      rig.arrive(2, udp_frame(3, 4, 50));
    }
    rig.run(100us, 100us);
  }
  rig.run(2ms, 100us);
  EXPECT_EQ(rig.sent(3).size(), 30U) << "the other pair loses nothing";
  EXPECT_EQ(rig.path->totals().held, 100U);
  EXPECT_EQ(rig.dropped(DropReason::kHoldFull), 200U) << "in the books";
  EXPECT_TRUE(rig.path->totals().balanced());
  record({"A robot fills the hold with frames that wait for 60 s",
          "It has hold_frames at most, and others as much as each of those who fill theirs",
          fmt::format("other pair: {} of 30 released; {} of 300 dropped as hold_full", rig.sent(3).size(),
                      rig.dropped(DropReason::kHoldFull))});
}

TEST(Fault, TwoSendersThatFillTheHoldLeaveRoomForAThird) {
  PathSettings settings = plain_settings(4);
  settings.hold_frames = 90;
  for (LinkRules& rules : settings.air.rules) {
    rules.extra_delay = 60s;
  }
  GatewayRig rig(settings);
  for (int i = 0; i < 200; ++i) {
    rig.arrive(0, udp_frame(1, 4, 50));
    rig.arrive(1, udp_frame(2, 4, 50));
    rig.iterate();
  }
  for (int i = 0; i < 30; ++i) {
    rig.arrive(2, udp_frame(3, 4, 50));
    rig.iterate();
  }
  EXPECT_EQ(rig.path->totals().held, 60U + 60U + 30U);
  record({"Two robots fill the hold with frames that wait for 60 s", "There is room for a third",
          fmt::format("{} of 90 held, 30 of them of the third", rig.path->totals().held - 60)});
}

// As DPDK's memory, which does not know by which port a frame came.
class PlainPool : public VectorPool {
 public:
  explicit PlainPool(std::size_t buffers) : VectorPool(buffers, 512), buffers_(buffers) {}
  [[nodiscard]] std::size_t left() const { return buffers_ - leaked(); }

 private:
  std::size_t buffers_;
};

TEST(Fault, AHoldLargerThanTheMemoryLeavesMemoryForOthers) {
  PathSettings settings = plain_settings(4);
  settings.hold_frames = 4096;
  for (LinkRules& rules : settings.air.rules) {
    rules.extra_delay = 60s;
  }
  settings.air.rules[2 * 4 + 3].extra_delay = 1ms;
  FakeClock clock;
  PlainPool pool(1000);
  std::vector<std::unique_ptr<VectorPort>> ports;
  std::vector<VectorPort*> raw;
  for (int i = 0; i < 4; ++i) {
    ports.push_back(std::make_unique<VectorPort>(pool, clock));
    raw.push_back(ports.back().get());
  }
  LinkTableFeed feed(16);
  FramePath<VectorPort, PlainPool> path(settings, raw, pool, feed);
  for (int i = 0; i < 3000; ++i) {
    const auto flood = pool.make(udp_frame(1, 2, 50), clock.now());
    ASSERT_TRUE(flood) << "there is always some left";
    ports[0]->arrive(*flood);
    if (i % 10 == 0) {
      ports[2]->arrive(*pool.make(udp_frame(3, 4, 50), clock.now()));
    }
    clock.advance(100us);
    path.iterate(clock);
  }
  clock.advance(2ms);
  path.iterate(clock);
  EXPECT_EQ(ports[3]->sent().size(), 300U) << "the other pair loses nothing";
  EXPECT_NEAR(static_cast<double>(path.totals().held), 800, 50);
  EXPECT_TRUE(path.totals().balanced());
  record({"A robot fills the hold of a DPDK plane, whose memory is smaller",
          "It has four times what is left of the memory at most; more is dropped as hold_full",
          fmt::format("other pair: {} of 300 released; {} of 1000 buffers held", ports[3]->sent().size(),
                      path.totals().held)});
  path.drain();
}

TEST(Fault, PortHoldsAtMostFourFifthsOfTheFrameMemory) {
  Umem umem({.chunks = 1000, .chunk_size = 2048});
  const std::uint16_t red = umem.add_port();
  const std::uint16_t blue = umem.add_port();
  std::vector<Frame> held;
  const auto capture = [&](std::uint16_t port) -> std::optional<Frame> {
    std::uint64_t address = 0;
    if (umem.allocate({&address, 1}) == 0) {
      return std::nullopt;
    }
    umem.lend(address, port);
    umem.set_segment(address + Umem::kHeadroom, 100);
    return Frame{.buffer = umem.buffer(address), .data = umem.data(address), .length = 100, .head_length = 100};
  };
  for (int i = 0; i < 2000; ++i) {
    const auto frame = capture(red);
    ASSERT_TRUE(frame) << "there is always some left";
    if (umem.within_share(*frame)) {
      held.push_back(*frame);
    } else {
      umem.free(*frame);
    }
  }
  EXPECT_EQ(held.size(), 800U);
  const auto other = capture(blue);
  ASSERT_TRUE(other);
  EXPECT_TRUE(umem.within_share(*other));
  umem.free(*other);
  for (const Frame& frame : held) {
    umem.free(frame);
  }
  const auto again = capture(red);
  EXPECT_TRUE(umem.within_share(*again)) << "what is released counts no more";
  umem.free(*again);
  EXPECT_EQ(umem.available(), 1000U);
  record({"A port's frames are held until the frame memory is short",
          "It holds four fifths at most; more is dropped as memory_share, in totals",
          fmt::format("{} of 1000 chunks held", held.size())});
}

}  // namespace
}  // namespace hilgate::test
