// SPDX-License-Identifier: Apache-2.0
// Stations of one medium at three gateways, beside the same stations at one. That they share its air as at one is in
// tests/gateway/site/tunnel_requests_test.cc.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/netns/gateway_test.h"
#include "tests/netns/site_lab.h"
#include "tests/support/eventually.h"

namespace hilgate::test {
namespace {

using SiteMedia = GatewayTest;

// Of all gateways of a lab.
struct Sums {
  double released = 0, requests_sent = 0, requests_taken = 0;
  bool balanced = true;
};

Sums sums_of(const SiteLab& lab) {
  Sums sums;
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    const nlohmann::json status = lab.status(i);
    sums.released += status["totals"]["out"].get<double>();
    sums.balanced = sums.balanced && status["totals"]["balanced"].get<bool>();
    sums.requests_sent += status["site"]["requests_sent"].get<double>();
    sums.requests_taken += status["site"]["requests_taken"].get<double>();
  }
  return sums;
}

// Once so many requests have been taken.
Sums sums_with(const SiteLab& lab, std::size_t requests) {
  Sums sums;
  eventually([&] {
    sums = sums_of(lab);
    return sums.requests_taken >= static_cast<double>(requests);
  });
  return sums;
}

bool until_decided_at(const SiteLab& lab, std::size_t gateway, const std::string& by) {
  return lab.until(gateway, [&by](const nlohmann::json& status) {
    const nlohmann::json& media = status["site"]["media"];
    return !media.empty() && media[0]["decided_at"] == by;
  });
}

void start_all(SiteLab& site) {
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    site.start(i);
  }
  ASSERT_TRUE(site.until_all_here()) << site.output(0);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    ASSERT_TRUE(until_decided_at(site, i, "a")) << site.status(i)["site"];
  }
}

}  // namespace

// Where nobody else is on the air, draws alone decide: by link and frame number.
TEST_F(SiteMedia, FramesHaveTheFatesThatOneGatewayWouldHaveGivenThem) {
  constexpr std::size_t kSent = 300;
  const std::vector<std::string> radios(SiteLab::kRobots, "wifi_11n_2g4_adhoc");
  std::string yaml =
      "seed: 11\nnetsim: {type: embedded}\n"
      "links: [{from: \"*\", to: \"*\", delay: 30ms, loss: 10 %, ber: 1e-4, policy: corrupt_raw}]\n"
      "physics:\n  type: trajectory\n  tracks:\n";
  for (std::size_t i = 0; i < SiteLab::kRobots; ++i) {
    yaml += fmt::format("    r{}: [{{at: 0s, position: [{}m, 5m, 2m]}}]\n", i, 3 * i);
  }
  const std::vector<std::pair<std::size_t, std::size_t>> ways = {{4, 2}, {2, 3}, {5, 0}, {0, 4}};
  std::vector<std::vector<Bytes>> at_one;
  {
    SiteLab one(yaml, radios, true);
    one.start(0);
    ASSERT_TRUE(one.until_answers(0)) << one.output(0);
    for (const auto& [from, to] : ways) {
      at_one.push_back(one.send(from, to, kSent));
    }
  }
  SiteLab site(yaml, radios);
  start_all(site);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const std::vector<Bytes> arrived = site.send(ways[i].first, ways[i].second, kSent);
    EXPECT_GT(arrived.size(), kSent * 7 / 10);
    EXPECT_LT(arrived.size(), kSent);
    EXPECT_EQ(arrived, at_one[i]) << "from r" << ways[i].first << " to r" << ways[i].second;
  }
}

// Six stations in a line, of which each is in reach of its neighbours alone: frames from end to end go over the robots
// of all three gateways. Frames of one flow meet one another on the air, so that fates depend on when each was
// captured.
TEST_F(SiteMedia, AMeshAcrossGatewaysForwardsAsAtOne) {
  constexpr std::size_t kSent = 100;
  const std::vector<std::string> radios(SiteLab::kRobots, "wifi_11s");
  std::string yaml =
      "seed: 11\nnetsim: {type: embedded}\nlinks:\n  - {from: \"*\", to: \"*\", delay: 2ms, path_loss: 200 dB}\n";
  for (std::size_t i = 1; i < SiteLab::kRobots; ++i) {
    yaml += fmt::format(
        "  - {{from: r{0}, to: r{1}, path_loss: 80 dB}}\n  - {{from: r{1}, to: r{0}, path_loss: 80 dB}}\n", i - 1, i);
  }
  yaml += "physics:\n  type: trajectory\n  tracks:\n";
  for (std::size_t i = 0; i < SiteLab::kRobots; ++i) {
    yaml += fmt::format("    r{}: [{{at: 0s, position: [{}m, 0m, 1.5m]}}]\n", i, 10 * i);
  }
  SiteLab site(yaml, radios);
  start_all(site);
  const std::vector<std::pair<std::size_t, std::size_t>> ways = {{0, 5}, {5, 0}, {2, 4}};
  for (const auto& [from, to] : ways) {
    EXPECT_GE(site.send(from, to, kSent).size(), kSent * 95 / 100) << "from r" << from << " to r" << to;
  }
  const Sums sums = sums_with(site, 2 * kSent);
  EXPECT_TRUE(sums.balanced);
  EXPECT_EQ(sums.requests_sent, 2 * kSent) << "of r5 and r2, which are not at the gateway that decides";
  EXPECT_EQ(sums.requests_taken, 2 * kSent);
  EXPECT_THAT(run({hilgate_program(), "status", site.run(2)}).output,
              testing::HasSubstr("r0 -> r5 over r1, r2, r3, r4"));
}

// A station's frames go over an access point, which is at no gateway, to another station.
TEST_F(SiteMedia, StationsOfOneAccessPointMayBeAtSeveralGateways) {
  const std::vector<std::string> radios(SiteLab::kRobots, "wifi_11n_2g4_adhoc");
  std::string yaml =
      "seed: 5\nlinks: [{from: \"*\", to: \"*\", delay: 5ms}]\nnetsim:\n  type: embedded\n  access_points:\n"
      "    west: {position: [0m, 0m, 3m], radio: wifi_11n_2g4_adhoc}\nphysics:\n  type: trajectory\n  tracks:\n";
  for (std::size_t i = 0; i < SiteLab::kRobots; ++i) {
    yaml += fmt::format("    r{}: [{{at: 0s, position: [{}m, 5m, 2m]}}]\n", i, 3 * i);
  }
  SiteLab site(yaml, radios);
  start_all(site);
  EXPECT_EQ(site.send(0, 2, 100).size(), 100) << "from the gateway that decides to another";
  EXPECT_EQ(site.send(4, 1, 100).size(), 100) << "from another to it";
  EXPECT_EQ(site.send(4, 2, 100).size(), 100) << "between two others";
  EXPECT_EQ(site.send(2, 3, 100).size(), 100) << "within another";
  const Sums sums = sums_with(site, 300);
  EXPECT_EQ(sums.requests_sent, 300);
  EXPECT_EQ(sums.requests_taken, 300);
  EXPECT_EQ(sums.released, 400);
  EXPECT_TRUE(sums.balanced);
  EXPECT_EQ(site.status(0)["site"]["media"][0]["name"], "access points");
}

}  // namespace hilgate::test
