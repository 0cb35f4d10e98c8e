// SPDX-License-Identifier: Apache-2.0
// Three real gateways of one site in namespaces of their own, with a bridge between them.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <thread>

#include "tests/netns/gateway_test.h"
#include "tests/netns/site_lab.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Site = GatewayTest;
using ::testing::HasSubstr;

constexpr const char* kLossy =
    "seed: 11\nnetsim: {type: wire}\n"
    "links: [{from: \"*\", to: \"*\", delay: 30ms, loss: 10 %, ber: 1e-4, policy: corrupt_raw}]\n";
constexpr const char* kClean = "netsim: {type: wire}\nlinks: [{from: \"*\", to: \"*\", delay: 5ms}]\n";
constexpr std::size_t kSiteFrames = 400;

std::size_t different(const std::vector<Bytes>& frames) {
  std::set<Bytes> clean;
  for (std::size_t i = 1; i <= kSiteFrames; ++i) {
    clean.insert({udp_frame(1, 3, 400, i), udp_frame(1, 2, 400, i), udp_frame(6, 1, 400, i)});
  }
  return static_cast<std::size_t>(
      std::ranges::count_if(frames, [&clean](const Bytes& frame) { return !clean.contains(frame); }));
}

std::uint64_t dropped(const nlohmann::json& status, const char* reason) {
  const nlohmann::json& reasons = status["totals"]["dropped"];
  return reasons.contains(reason) ? reasons[reason].get<std::uint64_t>() : 0;
}

}  // namespace

TEST_F(Site, FramesHaveTheFatesOfOneGatewayUnlessFilesDiffer) {
  std::vector<std::vector<Bytes>> at_one;
  const std::vector<std::pair<std::size_t, std::size_t>> ways = {{0, 2}, {0, 1}, {5, 0}};
  {
    SiteLab one(kLossy, true);
    one.start(0);
    ASSERT_TRUE(one.until_answers(0)) << one.output(0);
    for (const auto& [from, to] : ways) {
      at_one.push_back(one.send(from, to, kSiteFrames));
    }
  }
  SiteLab site(kLossy);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    site.start(i);
  }
  ASSERT_TRUE(site.until_all_here()) << site.output(0);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const std::vector<Bytes> arrived = site.send(ways[i].first, ways[i].second, kSiteFrames);
    EXPECT_GT(arrived.size(), kSiteFrames * 8 / 10);
    EXPECT_LT(arrived.size(), kSiteFrames);
    EXPECT_GT(different(arrived), kSiteFrames / 10);
    EXPECT_EQ(arrived, at_one[i]) << "from r" << ways[i].first << " to r" << ways[i].second;
  }
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    EXPECT_TRUE(site.status(i)["totals"]["balanced"]);
  }
  EXPECT_EQ(site.status(1)["site"]["gateways"][0]["lost"], 0);
  // With another file a gateway's robots are unreachable, and it is named.
  site.stop(1);
  site.start_with(1, kClean);
  ASSERT_TRUE(site.until_state(0, 1, "other_configuration", 60s)) << site.output(0);
  ASSERT_TRUE(site.until_state(1, 0, "other_configuration", 60s)) << site.output(1);
  const std::uint64_t before = dropped(site.status(0), "unreachable_gateway");
  EXPECT_TRUE(site.send(0, 2, 10).empty());
  EXPECT_EQ(dropped(site.status(0), "unreachable_gateway"), before + 10);
  EXPECT_THAT(site.status(0)["conditions"].dump(), HasSubstr("another configuration"));
}

// The one on the wire is read by somebody else's decoder.
TEST_F(Site, TunnelIsReadableByOthers) {
  if (test::run({"tshark", "--version"}).status != 0) {
    GTEST_SKIP() << "needs tshark";
  }
  SiteLab site(kClean);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    site.start(i);
  }
  ASSERT_TRUE(site.until_all_here()) << site.output(0);
  const auto shark = site.gateway(1).start({"tshark", "-l",
                                            "-d",     "udp.port==6081,geneve",
                                            "-i",     "site",
                                            "-f",     "udp port 6081",
                                            "-Y",     "geneve.flags.oam == 0",
                                            "-T",     "fields",
                                            "-e",     "geneve.proto_type",
                                            "-e",     "geneve.option.class",
                                            "-e",     "geneve.option.type",
                                            "-e",     "geneve.flags.critical",
                                            "-e",     "eth.src",
                                            "-e",     "_ws.malformed"});
  ASSERT_TRUE(shark->wait_for_output("Capturing", 30s)) << shark->output();
  bool seen = false;
  for (int i = 0; i < 20 && !seen; ++i) {  // it says that it captures before it does
    static_cast<void>(site.send(0, 2, 50));
    seen = shark->output().find(robot_mac(0).text()) != std::string::npos;
  }
  EXPECT_TRUE(seen) << shark->output();
  EXPECT_THAT(shark->output(), HasSubstr("0x6558"));
  EXPECT_THAT(shark->output(), HasSubstr("0xfff7"));
  std::cout << shark->output().substr(0, 400) << '\n';
}

TEST_F(Site, ACommandToAnyGatewayChangesAllOrNone) {
  SiteLab site(kClean);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    site.start(i);
  }
  ASSERT_TRUE(site.until_all_here()) << site.output(0);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    ASSERT_TRUE(site.until_commands(i)) << site.output(i);
  }
  const auto changes_of = [&](std::size_t gateway) { return site.status(gateway)["site"]["changes"].get<int>(); };
  const Finished wrong = site.command(2, {"set", "links.r0.r2.loss=150 %"});
  EXPECT_EQ(wrong.status, 2);
  const Finished robots = site.command(2, {"set", "window=2ms"});
  EXPECT_NE(robots.status, 0);
  EXPECT_THAT(robots.output, HasSubstr("window cannot change while a site runs"));
  EXPECT_THAT(site.command(0, {"set", "pace=dilate"}).output, HasSubstr("pace"));
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    EXPECT_EQ(changes_of(i), 0);
  }
  // While frames cross: by the old values or by the new ones, and none is lost.
  std::vector<Bytes> arrived;
  std::thread traffic([&] { arrived = site.send(0, 2, 10 * kSiteFrames); });
  const Finished set = site.command(1, {"set", "links.r0.r2.delay=9ms"});
  traffic.join();
  EXPECT_EQ(set.status, 0) << set.output;
  EXPECT_EQ(arrived.size(), 10 * kSiteFrames);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    EXPECT_EQ(changes_of(i), 1);
    EXPECT_THAT(site.command(i, {"get", "links.r0.r2.delay"}).output, HasSubstr("9ms"));
    EXPECT_EQ(site.status(i)["site"]["digest"], site.status(0)["site"]["digest"]);
    EXPECT_EQ(dropped(site.status(i), "unreachable_gateway"), 0);
  }
  const Finished lossy = site.command(0, {"set", "links.r0.r2.loss=100 %"});
  EXPECT_EQ(lossy.status, 0) << lossy.output;
  EXPECT_TRUE(site.send(0, 2, 10).empty());
  const Finished reload = site.command(2, {"reload"});
  EXPECT_EQ(reload.status, 0) << reload.output;
  EXPECT_EQ(site.send(0, 2, 10).size(), 10);
}

// Others are forgotten by DDS meanwhile, and need not find one another in both directions at the same time.
TEST_F(Site, CommandIsAcceptedAsSoonAsStatusReportsAgreement) {
  SiteLab site(kClean);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    site.start(i);
  }
  ASSERT_TRUE(site.until_all_here()) << site.output(0);
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(site.until_commands(2)) << site.output(2);
    site.part(2);
    ASSERT_TRUE(site.until_state(2, 0, "missing", 5s));
    ASSERT_TRUE(site.until(
        2, [](const nlohmann::json& status) { return !status["site"]["gateways"][0].value("commands", true); }));
    site.join(2);
    ASSERT_TRUE(site.until_commands(2)) << site.output(2);
    ASSERT_TRUE(site.until_state(2, 0, "here", 10s));
    ASSERT_TRUE(site.until_state(2, 1, "here", 10s));
    const Finished set = site.command(2, {"set", "links.r0.r2.loss=10 %"});
    EXPECT_EQ(set.status, 0) << set.output << " in round " << round;
  }
}

}  // namespace hilgate::test
