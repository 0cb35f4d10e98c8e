// SPDX-License-Identifier: Apache-2.0
// The same seed and the same frames give the same output, however the loop happens to turn.
#include <gtest/gtest.h>

#include "tests/support/gateway_rig.h"
#include "tests/support/random_traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kReplayRobots = 4;

struct Play {
  std::uint64_t seed = 1;
  bool stations = false;
  std::size_t burst = SIZE_MAX;
  Nanoseconds step = 20us;
};

struct Output {
  std::vector<std::vector<Sent>> ports;
  std::array<std::uint64_t, kDropReasons> dropped{};

  // Without the instants of release, which belong to the turns.
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> contents() const {
    std::vector<std::vector<std::uint64_t>> all;
    for (const auto& port : ports) {
      all.emplace_back();
      for (const Sent& sent : port) {
        all.back().push_back(sent.digest);
      }
    }
    return all;
  }
};

PathSettings settings_of(const Play& run) {
  PathSettings settings = plain_settings(kReplayRobots);
  settings.seed = run.seed;
  settings.hold_frames = 10'000;
  settings.air.domains = {AirDomain{}};
  for (std::uint32_t i = 0; i < kReplayRobots; ++i) {
    if (run.stations) {
      settings.air.stations[i] = Station{0, 2000};
    }
  }
  for (std::size_t link = 0; link < settings.air.rules.size(); ++link) {
    settings.air.rules[link] = {.policy = static_cast<ErrorPolicy>(link % 5),
                                .impairments = link % 3 == 0 ? independent_loss(0.05) : nullptr};
  }
  return settings;
}

// Two states of the air; the second is published while nothing is on its way.
Output play(const Play& run) {
  GatewayRig rig(settings_of(run));
  for (auto& port : rig.ports) {
    port->burst_limit = run.burst;
  }
  for (const double ber : {2e-5, 2e-4}) {
    rig.publish({.unicast = hazard_of(ber), .multicast = hazard_of(ber / 2), .delay = 20ms});
    for (const TimedFrame& frame : random_traffic(99, 1000, kReplayRobots, rig.clock.now(), 400ms)) {
      rig.arrive(frame.port, frame.bytes, frame.arrived);
    }
    rig.run(800ms, run.step);
    EXPECT_EQ(rig.path->totals().held, 0U);
  }
  EXPECT_TRUE(rig.path->totals().balanced());
  Output output;
  output.dropped = rig.path->totals().dropped;
  for (auto& port : rig.ports) {
    output.ports.push_back(port->sent());
  }
  return output;
}

TEST(Replay, TheSameRunTwiceIsTheSameToTheNanosecond) {
  for (const bool stations : {false, true}) {
    const Output first = play({.stations = stations});
    const Output second = play({.stations = stations});
    EXPECT_EQ(first.ports, second.ports);
    EXPECT_EQ(first.dropped, second.dropped);
    EXPECT_GT(first.ports[0].size(), 100U);
  }
}

TEST(Replay, AnotherSeedIsAnotherRun) {
  EXPECT_NE(play({.seed = 1}).contents(), play({.seed = 2}).contents());
}

TEST(Replay, BurstsAndTurnsDoNotMatter) {
  const Output expected = play({});
  for (const Play& run :
       {Play{.burst = 1}, Play{.burst = 7}, Play{.step = 3us}, Play{.step = 1ms}, Play{.burst = 3, .step = 170us}}) {
    const Output other = play(run);
    EXPECT_EQ(other.contents(), expected.contents()) << run.burst << " " << run.step.count();
    EXPECT_EQ(other.dropped, expected.dropped);
  }
}

TEST(Replay, TurnsDoNotMatterOnASharedMediumEither) {
  const Output expected = play({.stations = true});
  for (const Play& run : {Play{.stations = true, .step = 3us}, Play{.stations = true, .step = 1ms}}) {
    const Output other = play(run);
    EXPECT_EQ(other.contents(), expected.contents()) << run.step.count();
    EXPECT_EQ(other.dropped, expected.dropped);
  }
}

}  // namespace
}  // namespace hilgate::test
