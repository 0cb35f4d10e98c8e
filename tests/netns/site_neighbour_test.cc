// SPDX-License-Identifier: Apache-2.0
// Two sites on one network, of which one has an address of the other in its file.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <thread>

#include "tests/netns/gateway_test.h"
#include "tests/netns/site_lab.h"
#include "tests/support/eventually.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using SiteNeighbour = GatewayTest;

constexpr std::size_t kNeighbourFrames = 400;

/// Gateway x of another site, with two robots, on the network of a lab. It takes gateway a there for its own y.
class OtherSite {
 public:
  explicit OtherSite(const SiteLab& lab) {
    VethPair({&gateway_, "site", {}, {"192.0.2.4/24"}}, {&lab.network(), "to-x"});
    lab.network().run_ok("ip link set to-x master br0");
    std::string yaml = fmt::format(
        "clock: {{source: tai}}\nnetsim: {{type: wire}}\nsite:\n  key: none\n  clock_within: 100ms\n  gateways:\n"
        "    x: {{address: 192.0.2.4}}\n    y: {{address: {}}}\nports:\n",
        SiteLab::address(0));
    std::string robots = "robots:\n";
    for (unsigned i = 0; i < 3; ++i) {
      yaml += fmt::format("  p{}: {{interface: hg-r{}, gateway: {}}}\n", i, i, i < 2 ? "x" : "y");
      robots += fmt::format("  r{}: {{port: p{}, mac: \"{}\"}}\n", i, i, robot_mac(i).text());
    }
    for (unsigned i = 0; i < 2; ++i) {
      VethPair({&gateway_, fmt::format("hg-r{}", i)}, {&robots_[i], "eth0", robot_mac(i).text()});
    }
    process_ = gateway_.start({hilgate_program(), "run", folder_.write(yaml + robots), "--gateway", "x"});
  }

  [[nodiscard]] nlohmann::json status() const {
    const Finished said = test::run({hilgate_program(), "status", folder_.run() + "-x", "--json"});
    return said.status == 0 ? nlohmann::json::parse(said.output, nullptr, false) : nlohmann::json();
  }
  [[nodiscard]] bool until_running() const {
    return eventually([this] {
      const nlohmann::json now = status();
      return now.is_object() && now["window"]["running"].get<bool>();
    });
  }
  /// Of frames from its one robot to the other, how many came.
  [[nodiscard]] std::size_t send() const {
    const RawSocket sender(robots_[0], "eth0");
    const RawSocket receiver(robots_[1], "eth0", 0x0800);
    constexpr auto kPace = 200us;
    std::size_t arrived = 0;
    for (std::size_t i = 0; i < kNeighbourFrames; ++i) {
      sender.send(udp_frame(1, 2, 100, i + 1));
      std::this_thread::sleep_for(kPace);
    }
    while (receiver.receive(1s)) {
      ++arrived;
    }
    return arrived;
  }
  [[nodiscard]] std::string output() const { return process_->output(); }

 private:
  RunFolder folder_;
  NetNs gateway_{"gw"};
  std::array<NetNs, 2> robots_{NetNs{"robot"}, NetNs{"robot"}};
  std::unique_ptr<Process> process_;
};

}  // namespace

TEST_F(SiteNeighbour, PacketsOfAnotherSiteAreCountedAndChangeNothing) {
  SiteLab site("netsim: {type: wire}\nlinks: [{from: \"*\", to: \"*\", delay: 5ms}]\n");
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    site.start(i);
  }
  ASSERT_TRUE(site.until_all_here()) << site.output(0);
  ASSERT_TRUE(site.until_commands(0)) << site.output(0);
  EXPECT_FALSE(site.status(0)["site"]["refused"].contains("foreign"));
  const OtherSite other(site);
  ASSERT_TRUE(other.until_running()) << other.output();
  EXPECT_EQ(site.send(0, 2, kNeighbourFrames).size(), kNeighbourFrames);
  EXPECT_EQ(site.send(5, 0, kNeighbourFrames).size(), kNeighbourFrames);
  EXPECT_EQ(other.send(), kNeighbourFrames);
  const nlohmann::json a = site.status(0);
  EXPECT_GT(a["site"]["refused"].value("foreign", 0), 0) << a["site"]["refused"];
  EXPECT_EQ(a["site"]["gateways"].size(), 2U);
  for (const nlohmann::json& gateway : a["site"]["gateways"]) {
    EXPECT_EQ(gateway["state"], "here");
    EXPECT_TRUE(gateway["commands"]);
  }
  const nlohmann::json x = other.status();
  EXPECT_EQ(x["site"]["gateways"][0]["state"], "awaited") << "it is no answer that a is there";
  EXPECT_FALSE(x["site"]["gateways"][0]["commands"]) << "nor are words by DDS those of its site";
  EXPECT_TRUE(a["totals"]["balanced"] && x["totals"]["balanced"]);
  const Finished set = site.command(0, {"set", "links.r0.r2.loss=10 %"});
  EXPECT_EQ(set.status, 0) << set.output;
}

}  // namespace hilgate::test
