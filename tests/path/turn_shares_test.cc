// SPDX-License-Identifier: Apache-2.0
// A port that brings more than the path can release costs others nothing: neither room nor time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "path/turn_shares.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kCrowd = 16;
constexpr std::size_t kRingRoom = 256;  // frames that wait on a port
constexpr std::uint64_t kTurns = 120;

Bytes to_everybody(unsigned from) {
  return ethernet({kBroadcast, mac_of(from)}, 0x9999, counting(60));
}

// Robots 0 and 1 are bystanders: a frame each iteration. Others have always something to send.
class CrowdedPath : public testing::Test {
 protected:
  static PathSettings roomy() {
    PathSettings settings = plain_settings(kCrowd);
    settings.hold_frames = 16'384;
    return settings;
  }
  void fill(std::uint32_t port, const Bytes& frame) {
    while (rig_.ports[port]->waiting() < kRingRoom) {
      rig_.arrive(port, frame);
    }
  }
  // Iterations until a frame of the bystanders is released, at worst.
  template <class Refill>
  std::uint64_t worst_wait(Refill refill) {
    std::uint64_t worst = 0;
    for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
      refill(turn);
      rig_.arrive(0, udp_frame(1, 2, 20));
      rig_.clock.advance(1us);
      rig_.iterate();
      worst = std::max(worst, turn + 1 - rig_.link(0, 1).released.get());
    }
    EXPECT_TRUE(rig_.path->totals().balanced());
    EXPECT_EQ(rig_.path->totals().dropped_total(), 0U);
    return worst;
  }

  GatewayRig rig_{roomy(), 8192, 512};
};

TEST_F(CrowdedPath, BroadcastFloodDelaysNoOther) {
  EXPECT_LE(worst_wait([this](std::uint64_t) { fill(15, to_everybody(16)); }), 8U);
  EXPECT_GT(rig_.link(15, 2).released.get(), 2 * kTurns) << "and goes on";
}

// Whoever comes meanwhile waits until the iteration ends: what goes to many makes it no longer than a burst to one.
TEST_F(CrowdedPath, AFloodToEverybodyMakesNoLongIteration) {
  std::uint64_t most = 0;
  for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
    fill(15, to_everybody(16));
    rig_.clock.advance(1us);
    const std::uint64_t before = rig_.path->totals().deliveries;
    rig_.iterate();
    most = std::max(most, turn < 20 ? 0 : rig_.path->totals().deliveries - before);  // what it does is known by then
  }
  EXPECT_LE(most, GatewayRig::Path::kBurst);
  EXPECT_GT(most, 0U);
}

TEST_F(CrowdedPath, NorWhenItIsUnicastNowAndThen) {
  EXPECT_LE(
      worst_wait([this](std::uint64_t turn) { fill(15, turn % 2 == 0 ? to_everybody(16) : udp_frame(16, 15, 20)); }),
      8U);
}

TEST_F(CrowdedPath, NorDoFloodsOnManyPorts) {
  EXPECT_LE(worst_wait([this](std::uint64_t) {
              for (std::uint32_t port = 2; port < kCrowd; ++port) {
                fill(port, udp_frame(port + 1, (port + 1) % kCrowd + 1, 20));
              }
            }),
            8U);
  EXPECT_LE(rig_.path->totals().held_most, 14 * GatewayRig::Path::kBurst);
}

TEST_F(CrowdedPath, OneFloodToOneReceiverHasWholeBursts) {
  for (std::uint64_t turn = 1; turn <= 50; ++turn) {
    fill(2, udp_frame(3, 4, 20));
    rig_.clock.advance(1us);
    rig_.iterate();
    EXPECT_EQ(rig_.link(2, 3).released.get(), turn * GatewayRig::Path::kBurst);
  }
}

TEST_F(CrowdedPath, IsNotIdleWhileAPortIsToBeLookedAtAgain) {
  fill(15, to_everybody(16));
  rig_.clock.advance(1us);
  rig_.iterate();
  rig_.iterate();
  EXPECT_TRUE(rig_.path->has_input());
  for (int turn = 0; turn < 500; ++turn) {
    rig_.iterate();
  }
  EXPECT_FALSE(rig_.path->has_input());
  EXPECT_EQ(rig_.path->totals().frames_captured, kRingRoom);
}

}  // namespace
}  // namespace hilgate::test
