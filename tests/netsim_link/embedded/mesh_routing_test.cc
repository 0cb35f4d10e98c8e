// SPDX-License-Identifier: Apache-2.0
// Neighbours and routes of a mesh, from the states of its links.
#include "netsim_link/embedded/mesh_routing.h"

#include <gtest/gtest.h>

#include <numeric>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

/// Stations 0 to n - 1, which reach one another where the test connects them.
class Mesh {
 public:
  explicit Mesh(std::uint32_t stations, const MeshProtocol& protocol = {}, std::uint64_t seed = 1)
      : stations_(stations), routing_(protocol, members(stations), seed) {
    plan_.modes = {PhyMode{.symbol = 1us, .bits_per_symbol = 54, .rate_bps = 54e6},
                   PhyMode{.symbol = 1us, .bits_per_symbol = 6, .rate_bps = 6e6}};
    table_.links.assign(std::size_t{stations} * stations, kSilentLink);
  }

  /// Both ways: `loss` of a hello, and the mode of frames.
  void connect(std::uint32_t one, std::uint32_t other, double loss = 0, std::uint8_t mode = 0) {
    for (const auto& [from, to] : {std::pair{one, other}, std::pair{other, one}}) {
      const double bits = static_cast<double>(plan_.modes[0].error_bits(MeshRouting::kHelloBytes));
      table_.links[from * stations_ + to] = {.multicast = {-std::log1p(-loss) / bits}, .unicast_mode = mode};
    }
  }
  void cut(std::uint32_t one, std::uint32_t other) {
    table_.links[one * stations_ + other] = table_.links[other * stations_ + one] = kSilentLink;
  }
  /// Goes on for so long in windows of 10 ms; returns how long it took until the first change of routes.
  Nanoseconds pass(Nanoseconds time) {
    Nanoseconds changed = time;
    const MeshRoutes before = routes();
    for (const SimTime start = table_.at; table_.at < start + time; table_.at += 10ms) {
      routing_.update(table_, stations_, plan_);
      if (changed == time && routes().next != before.next) {
        changed = table_.at - start;
      }
    }
    return changed;
  }
  [[nodiscard]] MeshRoutes routes() const {
    MeshRoutes routes;
    routing_.write(routes);
    return routes;
  }
  /// The stations that a frame passes, by number, the first and the last included; empty without a route.
  [[nodiscard]] std::vector<std::uint32_t> way(std::uint32_t from, std::uint32_t to) const {
    const MeshRoutes now = routes();
    if (now.next.empty() || !now.next_hop(RobotIndex{from}, RobotIndex{to})) {
      return {};
    }
    std::vector<std::uint32_t> stations{from};
    for (const RobotIndex relay : now.relays(RobotIndex{from}, RobotIndex{to})) {
      stations.push_back(relay.value());
    }
    stations.push_back(to);
    return stations;
  }

 private:
  static std::vector<RobotIndex> members(std::uint32_t stations) {
    std::vector<RobotIndex> all;
    for (std::uint32_t station = 0; station < stations; ++station) {
      all.emplace_back(station);
    }
    return all;
  }

  std::uint32_t stations_;
  MeshRouting routing_;
  AirPlan plan_;
  LinkTable table_;
};

using Way = std::vector<std::uint32_t>;

TEST(MeshRouting, ALineHasItsRoutesFromTheBeginning) {
  Mesh mesh(4);
  mesh.connect(0, 1);
  mesh.connect(1, 2);
  mesh.connect(2, 3);
  mesh.pass(10ms);
  EXPECT_EQ(mesh.way(0, 3), (Way{0, 1, 2, 3}));
  EXPECT_EQ(mesh.way(3, 1), (Way{3, 2, 1}));
  EXPECT_EQ(mesh.routes().parts.front().size(), 1U);
}

TEST(MeshRouting, TheMetricDecidesBetweenAShortWayAndAFastOne) {
  for (const auto& [metric, expected] :
       {std::pair{MeshMetric::kAirtime, Way{0, 1, 2}}, {MeshMetric::kHops, Way{0, 2}}, {MeshMetric::kEtx, Way{0, 2}}}) {
    Mesh mesh(3, {.metric = metric});
    mesh.connect(0, 2, 0, 1);  // at 6 Mbit/s: as long on the air as nine hops at 54
    mesh.connect(0, 1);
    mesh.connect(1, 2);
    mesh.pass(10ms);
    EXPECT_EQ(mesh.way(0, 2), expected);
  }
}

TEST(MeshRouting, EtxLeavesALinkThatLosesHellosAtTheNextUpdate) {
  Mesh mesh(3, {.metric = MeshMetric::kEtx, .hello = 100ms, .lost_after = 50});
  mesh.connect(0, 2);
  mesh.connect(0, 1);
  mesh.connect(1, 2);
  mesh.pass(2s);
  EXPECT_EQ(mesh.way(0, 2), (Way{0, 2}));
  mesh.connect(0, 2, 0.6);
  mesh.pass(5s);
  EXPECT_EQ(mesh.way(0, 2), (Way{0, 1, 2}));
}

TEST(MeshRouting, ALostRelayIsReplacedAfterTheHellosItMisses) {
  Mesh mesh(4, {.metric = MeshMetric::kHops, .hello = 500ms, .lost_after = 2});
  mesh.connect(0, 1);
  mesh.connect(1, 3);
  mesh.connect(0, 2);
  mesh.connect(2, 3);
  mesh.pass(3s);
  ASSERT_EQ(mesh.way(0, 3), (Way{0, 1, 3}));
  mesh.cut(0, 1);
  mesh.cut(1, 3);
  const Nanoseconds replaced = mesh.pass(3s);
  EXPECT_GE(replaced, 500ms);
  EXPECT_LE(replaced, 1000ms);
  EXPECT_EQ(mesh.way(0, 3), (Way{0, 2, 3}));
}

TEST(MeshRouting, PartsOfAMeshAreNamedAndJoinAgain) {
  Mesh mesh(4);
  mesh.connect(0, 1);
  mesh.connect(2, 3);
  mesh.pass(10ms);
  EXPECT_EQ(mesh.way(0, 3), Way{});
  const auto parts = mesh.routes().parts.front();
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0], (std::vector{RobotIndex{0}, RobotIndex{1}}));
  EXPECT_EQ(parts[1], (std::vector{RobotIndex{2}, RobotIndex{3}}));
  mesh.connect(1, 2);
  EXPECT_LE(mesh.pass(3s), 1000ms);
  EXPECT_EQ(mesh.way(0, 3), (Way{0, 1, 2, 3}));
}

TEST(MeshRouting, HellosAreDrawnFromTheLinkAndTheSeed) {
  const auto changes = [](std::uint64_t seed) {
    Mesh mesh(2, {.hello = 100ms, .lost_after = 2}, seed);
    mesh.connect(0, 1, 0.4);
    std::vector<bool> known;
    for (int i = 0; i < 500; ++i) {
      mesh.pass(100ms);
      known.push_back(!mesh.way(0, 1).empty());
    }
    return known;
  };
  const std::vector<bool> first = changes(1);
  EXPECT_EQ(first, changes(1));
  EXPECT_NE(first, changes(2));
  // Lost from the second missed hello in a row until the next: 0.16 of the time each way, and 0.29 with either lost.
  EXPECT_NEAR(static_cast<double>(std::count(first.begin(), first.end(), false)) / 500, 1 - 0.84 * 0.84, 0.06);
}

TEST(MeshRouting, AHopOfEqualCostIsTheSameInEveryRun) {
  Mesh mesh(5, {.metric = MeshMetric::kHops});
  for (const std::uint32_t relay : {3U, 1U, 2U}) {
    mesh.connect(0, relay);
    mesh.connect(relay, 4);
  }
  mesh.pass(10ms);
  EXPECT_EQ(mesh.way(0, 4), (Way{0, 1, 4}));
}

}  // namespace
}  // namespace hilgate::test
