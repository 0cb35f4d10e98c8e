// SPDX-License-Identifier: Apache-2.0
// Gateways of a site with several packet loops each.
#include <gmock/gmock.h>

#include "tests/netns/gateway_test.h"
#include "tests/netns/site_lab.h"

namespace hilgate::test {
namespace {

using SiteCores = GatewayTest;

constexpr std::size_t kOnEachWay = 400;
constexpr const char* kLossyLinks =
    "seed: 11\nnetsim: {type: wire}\n"
    "links: [{from: \"*\", to: \"*\", delay: 30ms, loss: 10 %, ber: 1e-4, policy: corrupt_raw}]\n";
// Of the two robots of each gateway one is on each core.
constexpr const char* kTwoCores = "packet_loop: {cores: [{ports: [p0, p2, p4]}, {ports: [p1, p3, p5]}]}\n";

}  // namespace

TEST_F(SiteCores, FatesEqualOneGatewayWithOneCore) {
  const std::vector<std::pair<std::size_t, std::size_t>> ways = {{0, 2}, {0, 3}, {1, 2}, {5, 0}, {5, 4}};
  std::vector<std::vector<Bytes>> at_one;
  {
    SiteLab one(kLossyLinks, true);
    one.start(0);
    ASSERT_TRUE(one.until_answers(0)) << one.output(0);
    for (const auto& [from, to] : ways) {
      at_one.push_back(one.send(from, to, kOnEachWay));
    }
  }
  SiteLab site(std::string(kLossyLinks) + kTwoCores);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    site.start(i);
  }
  ASSERT_TRUE(site.until_all_here()) << site.output(0);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const std::vector<Bytes> arrived = site.send(ways[i].first, ways[i].second, kOnEachWay);
    EXPECT_GT(arrived.size(), kOnEachWay * 8 / 10);
    EXPECT_LT(arrived.size(), kOnEachWay);
    EXPECT_EQ(arrived, at_one[i]) << "from r" << ways[i].first << " to r" << ways[i].second;
  }
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    const nlohmann::json status = site.status(i);
    EXPECT_TRUE(status["totals"]["balanced"]) << status["totals"];
    EXPECT_EQ(status["totals"]["held"], 0);
  }
}

}  // namespace hilgate::test
