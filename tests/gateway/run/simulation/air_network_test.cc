// SPDX-License-Identifier: Apache-2.0
// `hilgate serve`: what a foreign coordinator's packets meet is what the gateway's own frames meet.
#include "gateway/run/simulation/air_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "netsim_link/local_network.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr Nanoseconds kAirWindow = 10ms;
constexpr std::uint32_t kAirRobots = 3;

// One state for all links.
class FixedNetsim final : public Netsim {
 public:
  void link_states(const Scene& scene, LinkTable& table) override {
    table.at = scene.at;
    std::ranges::fill(table.links, state);
  }
  [[nodiscard]] const AirPlan& air_plan() const override { return plan_; }
  LinkState state;

 private:
  AirPlan plan_;
};

// Three radios at 65 Mbit/s that share a medium.
PathSettings radios(ErrorPolicy policy = ErrorPolicy::kArq) {
  PathSettings settings = plain_settings(kAirRobots);
  settings.air.domains.push_back({});
  for (std::optional<Station>& station : settings.air.stations) {
    station = Station{.queue_frames = 50};
  }
  for (LinkRules& rules : settings.air.rules) {
    rules.policy = policy;
  }
  return settings;
}

struct Offer {
  SimTime at;
  std::uint32_t from = 0;
  std::optional<RobotIndex> to{};
  std::uint32_t length = 1514;
};

// Asks window by window, as a coordinator that tells when it captured what.
class Served {
 public:
  static LinkTable nothing_heard() {
    LinkTable table;
    table.links.resize(std::size_t{kAirRobots} * kAirRobots, LinkState{.reachable = false});
    return table;
  }
  explicit Served(const PathSettings& settings, const LinkState& state = {})
      : network_(settings, kAirRobots, std::make_unique<LocalNetwork>(netsim_), nothing_heard(), AirAnswer::kVerdicts) {
    netsim_.state = state;
    scene_.robots.resize(kAirRobots);
    scene_.sights.resize(pair_count(kAirRobots));
    network_.open({.ready = [] {},
                   .ended =
                       [this](NetworkAnswer& answer) {
                         verdicts.insert(verdicts.end(), answer.verdicts.begin(), answer.verdicts.end());
                         forgotten.insert(forgotten.end(), answer.forget.begin(), answer.forget.end());
                       },
                   .failed = [](const std::string&) {}});
  }
  void window(std::uint64_t number, const std::vector<CapturedPacket>& packets, bool with_scene = true) {
    const SimTime from{kAirWindow * static_cast<std::int64_t>(number)};
    scene_.at = from;
    network_.begin({.step = {.window = number, .number = number, .from = from, .length = kAirWindow},
                    .packets = packets,
                    .scene = with_scene ? &scene_ : nullptr,
                    .payload = nullptr,
                    .fresh = with_scene});
  }
  // Those of each window are offered in the next.
  void run(const std::vector<Offer>& offers, std::uint64_t windows) {
    std::size_t next = 0;
    for (std::uint64_t number = 1; number <= windows; ++number) {
      std::vector<CapturedPacket> packets;
      for (; next < offers.size() && offers[next].at < SimTime{kAirWindow * static_cast<std::int64_t>(number)};
           ++next) {
        packets.push_back({.id = next,
                           .captured = offers[next].at,
                           .sender = RobotIndex{offers[next].from},
                           .receiver = offers[next].to,
                           .length = offers[next].length});
      }
      window(number, packets);
    }
  }
  [[nodiscard]] std::size_t lost(AirDrop drop) const {
    return static_cast<std::size_t>(std::ranges::count(verdicts, drop, &Verdict::drop));
  }

  std::vector<Verdict> verdicts;
  std::vector<std::uint64_t> forgotten;

 private:
  FixedNetsim netsim_;
  Scene scene_;
  AirNetwork network_;
};

std::vector<Offer> bursts(std::size_t count, Nanoseconds apart) {
  std::vector<Offer> offers;
  std::mt19937_64 random(7);
  SimTime at{};
  for (std::size_t i = 0; i < count; ++i) {
    at += Nanoseconds{static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * apart.count()))};
    const auto from = static_cast<std::uint32_t>(random() % kAirRobots);
    const auto length = static_cast<std::uint32_t>(100 + random() % 1400);
    offers.push_back({.at = at, .from = from, .to = RobotIndex{(from + 1) % kAirRobots}, .length = length});
    if (random() % 10 == 0) {
      offers.back().to.reset();
    }
  }
  return offers;
}

// The same frames through the gateway's path, one window later, as AirNetwork has them.
std::map<std::uint32_t, std::vector<Nanoseconds>> released_by_gateway(const PathSettings& settings,
                                                                      const LinkState& state,
                                                                      const std::vector<Offer>& offers,
                                                                      Nanoseconds length) {
  GatewayRig rig(settings);
  rig.publish(state);
  const HostTime start = rig.clock.now();
  std::size_t next = 0;
  while (rig.clock.now() < start + length) {
    for (; next < offers.size() && start + (offers[next].at - SimTime{}) + kAirWindow <= rig.clock.now(); ++next) {
      const Offer& offer = offers[next];
      const auto to = offer.to ? mac_of(offer.to->value() + 1) : kBroadcast;
      rig.arrive(offer.from,
                 ethernet({.destination = to, .source = mac_of(offer.from + 1)}, 0x88B5, Bytes(offer.length - 14)),
                 start + (offers[next].at - SimTime{}) + kAirWindow);
    }
    rig.iterate();
    rig.clock.advance(1us);
  }
  std::map<std::uint32_t, std::vector<Nanoseconds>> released;
  for (std::uint32_t robot = 0; robot < kAirRobots; ++robot) {
    for (const Sent& sent : rig.sent(robot)) {
      released[robot].push_back(sent.at - start);
    }
  }
  return released;
}

// Queues that overflow, waits for the medium, repeats: the same packets at the same times.
TEST(AirNetwork, EqualsTheGateway) {
  for (const double ber : {0.0, 5e-5}) {
    SCOPED_TRACE(ber);
    const LinkState state{.unicast = hazard_of(ber), .multicast = hazard_of(ber), .delay = 3us};
    const std::vector<Offer> offers = bursts(800, 200us);
    Served served(radios(), state);
    served.run(offers, 40);
    const auto expected = released_by_gateway(radios(), state, offers, 41 * kAirWindow);
    std::size_t passed = 0;
    for (std::uint32_t robot = 0; robot < kAirRobots; ++robot) {
      std::vector<Nanoseconds> got;
      for (const Verdict& verdict : served.verdicts) {
        if (verdict.receiver == RobotIndex{robot} && verdict.drop == AirDrop::kNone) {
          got.push_back(verdict.release_at - SimTime{});
        }
      }
      const std::vector<Nanoseconds>& want = expected.at(robot);
      passed += got.size();
      ASSERT_EQ(got.size(), want.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_NEAR(static_cast<double>((got[i] - want[i]).count()), 0, 2000) << "packet " << i << ", ns";
      }
    }
    EXPECT_GT(passed, 200U);
    EXPECT_GT(served.lost(AirDrop::kQueueFull), 0U);
    EXPECT_EQ(served.forgotten.size(), offers.size());
  }
}

// 65 Mbit/s of PHY carry some 30 of frames.
TEST(AirNetwork, CarriesNoMoreThanTheMedium) {
  std::vector<Offer> offers;
  for (int i = 0; i < 5000; ++i) {
    offers.push_back({.at = SimTime{i * 100us}, .to = RobotIndex{1}});  // 121 Mbit/s
  }
  Served served(radios());
  served.run(offers, 54);
  const auto passed = served.lost(AirDrop::kNone);
  const double mbps = static_cast<double>(passed) * 1514 * 8 / 0.5 / 1e6;
  EXPECT_GT(mbps, 20);
  EXPECT_LT(mbps, 40);
  EXPECT_EQ(passed + served.lost(AirDrop::kQueueFull), 5000U);
}

TEST(AirNetwork, DeliversNothingDamagedWhereTheRadioChecks) {
  const LinkState marginal{.unicast = hazard_of(1e-4), .multicast = hazard_of(1e-4)};
  for (const ErrorPolicy policy : {ErrorPolicy::kArq, ErrorPolicy::kFcsDrop}) {
    Served served(radios(policy), marginal);
    served.run(bursts(300, 3ms), 100);
    EXPECT_TRUE(std::ranges::all_of(served.verdicts, [](const Verdict& verdict) { return verdict.ber == 0; }));
    EXPECT_GT(served.lost(AirDrop::kBitErrors), 0U);
  }
}

TEST(AirNetwork, ReportsTheErrorRateWithoutChecksum) {
  Served served(radios(ErrorPolicy::kCorruptRaw), {.unicast = hazard_of(1e-4), .multicast = hazard_of(1e-3)});
  served.run({{.at = SimTime{1ms}, .to = RobotIndex{1}}, {.at = SimTime{5ms}}}, 2);
  ASSERT_EQ(served.verdicts.size(), 3U);
  EXPECT_NEAR(served.verdicts[0].ber, 1e-4, 1e-12);
  EXPECT_NEAR(served.verdicts[1].ber, 1e-3, 1e-12);
  EXPECT_THAT(served.forgotten, ElementsAre(0, 1));
}

TEST(AirNetwork, NoFrameIsReceivedBeforeTheFirstScene) {
  Served served(radios());
  const CapturedPacket packet{.id = 3, .sender = RobotIndex{0}, .receiver = RobotIndex{1}, .length = 100};
  served.window(5, {packet}, false);
  EXPECT_EQ(served.lost(AirDrop::kOutOfRange), 1U);
  EXPECT_THAT(served.forgotten, ElementsAre(3));
  served.window(6, {packet});
  EXPECT_EQ(served.lost(AirDrop::kNone), 1U);
}

TEST(AirNetwork, FramesOnTheAirAtTheEndOfAStepArriveInTheNext) {
  Served served(radios());
  std::vector<CapturedPacket> packets;
  for (std::uint64_t id = 0; id < 40; ++id) {
    packets.push_back({.id = id, .sender = RobotIndex{0}, .receiver = RobotIndex{1}, .length = 1514});
  }
  served.window(1, packets);
  const std::size_t first = served.verdicts.size();
  EXPECT_LT(first, 40U) << "40 frames take some 16 ms";
  EXPECT_EQ(served.forgotten.size(), first);
  served.window(2, {});
  EXPECT_EQ(served.lost(AirDrop::kNone), 40U);
  EXPECT_GT(served.verdicts.back().release_at, SimTime{20ms});
}

TEST(AirNetwork, ForgetsPacketsOfRobotsThatItDoesNotKnow) {
  Served served(radios());
  served.window(1, {{.id = 7, .sender = RobotIndex{4'000'000'000U}, .receiver = RobotIndex{1}},
                    {.id = 8, .sender = RobotIndex{0}, .receiver = RobotIndex{4'000'000}},
                    {.id = 9, .sender = RobotIndex{0}, .receiver = RobotIndex{0}}});
  EXPECT_THAT(served.forgotten, testing::UnorderedElementsAre(7, 8, 9));
  EXPECT_EQ(served.lost(AirDrop::kNone), 0U);
}

TEST(AirNetwork, AnotherCoordinatorFindsTheAirEmpty) {
  Served served(radios());
  const CapturedPacket packet{
      .id = 0, .captured = SimTime{5ms}, .sender = RobotIndex{0}, .receiver = RobotIndex{1}, .length = 1514};
  served.window(1000, std::vector<CapturedPacket>(40, packet));
  served.verdicts.clear();
  served.window(1, {packet});
  ASSERT_EQ(served.verdicts.size(), 1U);
  EXPECT_LT(served.verdicts[0].release_at, SimTime{20ms});
}

}  // namespace
}  // namespace hilgate::test
