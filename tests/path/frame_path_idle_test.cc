// SPDX-License-Identifier: Apache-2.0
// A path that iterations only when it says that it has something to do does the same as one that iterations all the
// time.
#include <gtest/gtest.h>

#include "tests/support/gateway_rig.h"
#include "tests/support/random_traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kIdleRobots = 4;
constexpr Nanoseconds kStep{4'000};

struct Case {
  std::string name;
  std::function<void(PathSettings&)> set;
};

void on_one_medium(PathSettings& settings, const AirDomain& domain) {
  settings.air.domains = {domain};
  for (auto& station : settings.air.stations) {
    station = Station{0, 200};
  }
}

void impair(PathSettings& settings) {
  for (std::size_t link = 0; link < settings.air.rules.size(); ++link) {
    LinkRules& rules = settings.air.rules[link];
    rules.extra_delay = Nanoseconds{static_cast<std::int64_t>(link) * 170'000};
    Impairments impairments;
    if (link % 2 == 0) {
      impairments.jitter = Jitter{UniformDelay{0us, 700us}, static_cast<JitterMode>(link % 3), 100us};
    }
    if (link % 3 == 2) {
      impairments.rate = RateLimit{.bits_per_second = 2e6, .queue_frames = 20};
    }
    rules.impairments = std::make_shared<const Impairments>(impairments);
  }
}

const std::vector<Case> kCases = {
    {"Cables", [](PathSettings&) {}},
    {"Impaired", impair},
    {"Contention", [](PathSettings& settings) { on_one_medium(settings, {}); }},
    {"Overlap", [](PathSettings& settings) { on_one_medium(settings, {.access = MediumAccess::kOverlappingDcf}); }},
    {"Turns", [](PathSettings& settings) { on_one_medium(settings, {.access = MediumAccess::kRoundRobin}); }},
    {"Windows",
     [](PathSettings& settings) {
       on_one_medium(settings, {.access = MediumAccess::kTdma, .tdma_slot = 3ms, .tdma_guard = 200us});
     }},
    {"Granted", [](PathSettings& settings) { on_one_medium(settings, {.access = MediumAccess::kScheduled}); }},
    {"AccessPoint",
     [](PathSettings& settings) {
       on_one_medium(settings, {});
       settings.air.roles = {AirRole::kStation, AirRole::kStation, AirRole::kWired, AirRole::kAccessPoint};
       settings.air.stations[2] = std::nullopt;
       settings.air.distribution_delay = 300us;
     }},
};

class World : public GatewayRig {
 public:
  World(const PathSettings& path_settings, bool all_the_time)
      : GatewayRig(path_settings, 16'384, 2048), always_(all_the_time) {
    LinkTable& table = feed.back();
    table.attachments.resize(kIdleRobots, {Attachment::State::kAttached, RobotIndex{3}});
    for (LinkState& link : table.links) {
      link = {.unicast = hazard_of(1e-6), .multicast = hazard_of(1e-6), .delay = 400us, .rssi_dbm = -60, .snr_db = 30};
    }
    feed.publish();
    iterate();
  }
  void run_until(HostTime end) {
    while (clock.now() < end) {
      clock.set(always_ ? std::min(clock.now() + kStep, end) : std::min(path->next_due(), end));
      iterate();
      ++iterations;
    }
  }
  // What left, and when the path had decided that it should.
  std::vector<std::pair<Nanoseconds, std::uint64_t>> all_sent() const {
    std::vector<std::pair<Nanoseconds, std::uint64_t>> all;
    for (std::uint32_t port = 0; port < kIdleRobots; ++port) {
      for (const Sent& sent : this->sent(port)) {
        all.emplace_back(sent.at.time_since_epoch(), sent.digest);
      }
    }
    return all;
  }
  std::uint64_t iterations = 0;

 private:
  bool always_;
};

class IdlePath : public ::testing::TestWithParam<Case> {};

TEST_P(IdlePath, NothingIsLateWhenItIteratesOnlyWhenSomethingIsDue) {
  PathSettings settings = plain_settings(kIdleRobots);
  settings.hold_frames = 8192;
  GetParam().set(settings);
  World polling(settings, true);
  World sleeping(settings, false);
  const HostTime start = polling.clock.now();
  for (const TimedFrame& frame : random_traffic(7, 400, kIdleRobots - 1, start, 200ms)) {
    // On the polling one's raster, so that both see it at its instant.
    const HostTime at = start + (frame.arrived - start) / kStep * kStep + kStep;
    for (World* world : {&polling, &sleeping}) {
      world->run_until(at);
      world->arrive(frame.port, frame.bytes);
      world->iterate();
    }
  }
  polling.run_until(start + 800ms);
  sleeping.run_until(start + 800ms);
  EXPECT_EQ(polling.path->totals().dropped, sleeping.path->totals().dropped);
  EXPECT_EQ(polling.path->totals().held, 0U);
  const auto expected = polling.all_sent();
  const auto seen = sleeping.all_sent();
  ASSERT_EQ(seen.size(), expected.size());
  EXPECT_GT(seen.size(), 100U);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].second, expected[i].second) << i;
    EXPECT_LE(seen[i].first, expected[i].first) << i;  // the polling one iterations a step later at most
    EXPECT_GT(seen[i].first, expected[i].first - kStep) << i;
  }
  EXPECT_LT(sleeping.iterations, polling.iterations / 20);
}

INSTANTIATE_TEST_SUITE_P(All, IdlePath, ::testing::ValuesIn(kCases),
                         [](const ::testing::TestParamInfo<Case>& one) { return one.param.name; });

TEST(IdlePathInput, InputOfOtherThreadsIsDetected) {
  PathSettings settings = plain_settings(2);
  settings.tap = {.on = true};
  settings.parked_packets = 16;
  GatewayRig rig(settings);
  EXPECT_FALSE(rig.path->has_input());
  EXPECT_TRUE(rig.path->tap().injections.push({.port = PortSlot{0}, .length = 60}));
  EXPECT_TRUE(rig.path->has_input());
  rig.iterate();
  EXPECT_FALSE(rig.path->has_input());
  EXPECT_TRUE(rig.path->verdicts().orders.push({.packet = 3}));
  EXPECT_TRUE(rig.path->has_input());
  rig.iterate();
  EXPECT_FALSE(rig.path->has_input());
  rig.publish({});
  EXPECT_FALSE(rig.path->has_input());  // a table can wait for the next frame
}

}  // namespace
}  // namespace hilgate::test
