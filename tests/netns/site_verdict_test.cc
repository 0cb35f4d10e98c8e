// SPDX-License-Identifier: Apache-2.0
// Three real gateways of one site, whose frames a network simulator at one of them decides.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/netns/gateway_test.h"
#include "tests/netns/site_lab.h"
#include "tests/support/eventually.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using ::testing::HasSubstr;

constexpr std::size_t kJudged = 200;

/// By protocol of the simulator.
class SiteVerdicts : public GatewayTest, public testing::WithParamInterface<const char*> {
 protected:
  static bool is_rosnetsim() { return GetParam() == std::string("rosnetsim"); }
  static std::string yaml(const std::string& expiry = "1h") {
    return fmt::format("seed: 11\nwindow: 20ms\nnetsim: {{type: {}, address: \"tcp:127.0.0.1:7401\", expiry: {}{}}}\n",
                       GetParam(), expiry, is_rosnetsim() ? ", extensions: true" : "");
  }
  // It has as long as three windows and two ways between gateways to answer.
  static std::unique_ptr<Process> simulator_at(const SiteLab& lab, std::size_t gateway,
                                               const std::vector<std::string>& further = {}) {
    lab.gateway(gateway).run_ok("ip link set lo up");
    std::vector<std::string> argv = {
        hilgate_program(), "sim",  "network",  "--protocol", GetParam(), "--socket", "tcp:127.0.0.1:7401",
        "--window",        "20ms", "--robots", "6",          "--delay",  "150ms"};
    for (unsigned i = 0; is_rosnetsim() && i < SiteLab::kRobots; ++i) {
      argv.insert(argv.end(), {"--ip", ipv4_of(i + 1).text()});
    }
    argv.insert(argv.end(), further.begin(), further.end());
    return lab.gateway(gateway).start(argv);
  }
  static bool until_decided_at(const SiteLab& lab, std::size_t gateway, const nlohmann::json& by) {
    return lab.until(gateway, [&](const nlohmann::json& status) {
      return status.contains("site") && status["site"]["media"][0]["decided_at"] == by;
    });
  }
  static void start_all(SiteLab& site) {
    for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
      site.start(i);
    }
    ASSERT_TRUE(site.until_all_here()) << site.output(0);
    for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
      ASSERT_TRUE(site.until_commands(i)) << site.output(i);
    }
  }
};

// Of all gateways.
struct FrameSums {
  std::uint64_t in = 0, out = 0, dropped = 0, held = 0, sent = 0, received = 0, requests_sent = 0, requests_taken = 0;
};

std::uint64_t sum_of(const nlohmann::json& counts) {
  std::uint64_t sum = 0;
  for (const nlohmann::json& count : counts) {
    sum += count.get<std::uint64_t>();
  }
  return sum;
}

FrameSums frame_sums(const SiteLab& site) {
  FrameSums sums;
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    const nlohmann::json status = site.status(i);
    const nlohmann::json& totals = status["totals"];
    EXPECT_TRUE(totals["balanced"].get<bool>()) << i << totals;
    sums.in += totals["in"].get<std::uint64_t>();
    sums.out += totals["out"].get<std::uint64_t>();
    sums.held += totals["held"].get<std::uint64_t>();
    sums.dropped += sum_of(totals["dropped"]);
    sums.sent += status["site"]["sent"].get<std::uint64_t>();
    sums.received += status["site"]["received"].get<std::uint64_t>();
    sums.requests_sent += status["site"]["requests_sent"].get<std::uint64_t>();
    sums.requests_taken += status["site"]["requests_taken"].get<std::uint64_t>();
  }
  return sums;
}

}  // namespace

TEST_P(SiteVerdicts, JudgeTheFramesOfAllGatewaysAsOne) {
  const std::vector<std::pair<std::size_t, std::size_t>> ways = {{4, 2}, {2, 3}, {5, 0}, {0, 4}, {0, 1}};
  const std::vector<std::string> script = {"--loss", "20%", "--ber", "1e-4"};
  std::vector<std::vector<Bytes>> at_one;
  {
    SiteLab one(yaml(), true, {.ips = true});
    const auto netsim = simulator_at(one, 0, script);
    one.start(0);
    ASSERT_TRUE(one.until(0, [](const nlohmann::json& status) { return status["window"]["number"] > 5; }))
        << one.output(0);
    for (const auto& [from, to] : ways) {
      at_one.push_back(one.send(from, to, kJudged));
    }
  }
  SiteLab site(yaml(), false, {.site = "  air_lag: 100ms\n", .ips = true});
  start_all(site);
  EXPECT_THAT(site.status(0)["conditions"].dump(), HasSubstr("no gateway has a network simulator that answers"));
  const auto netsim = simulator_at(site, 1, script);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    ASSERT_TRUE(until_decided_at(site, i, "b")) << site.status(i)["site"] << site.output(1);
  }
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const std::vector<Bytes> arrived = site.send(ways[i].first, ways[i].second, kJudged);
    EXPECT_GT(arrived.size(), kJudged * 7 / 10);
    EXPECT_LT(arrived.size(), kJudged * 9 / 10);
    EXPECT_EQ(arrived, at_one[i]) << "from r" << ways[i].first << " to r" << ways[i].second;
  }
  const FrameSums sums = frame_sums(site);
  EXPECT_EQ(sums.in, ways.size() * kJudged);
  EXPECT_EQ(sums.in, sums.out + sums.dropped);
  EXPECT_EQ(sums.held, 0);
  EXPECT_EQ(sums.sent, sums.received);
  EXPECT_EQ(sums.requests_sent, 4 * kJudged) << "all but those of r2, which is where the simulator is";
  EXPECT_EQ(sums.requests_taken, sums.requests_sent);
  EXPECT_EQ(site.status(1)["totals"]["in"], ways.size() * kJudged) << "counted where they are decided";
  EXPECT_EQ(site.status(0)["site"]["air"]["decides"], "frames");
}

class SiteVerdictsAfterLosses : public SiteVerdicts {};

TEST_P(SiteVerdictsAfterLosses, TheNextGatewayWithASimulatorDecidesWhenOneIsKilledAndTheFirstAgainWhenItIsBack) {
  SiteLab site(yaml("1s"), false, {.site = "  air_lag: 100ms\n", .ips = true});
  start_all(site);
  auto first = simulator_at(site, 0);
  auto second = simulator_at(site, 1);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    ASSERT_TRUE(until_decided_at(site, i, "a")) << site.status(i)["site"];
  }
  ASSERT_TRUE(site.until(2, [](const nlohmann::json& status) { return status["site"]["air"]["authors"].size() == 2; }))
      << site.status(2)["site"]["air"];
  EXPECT_EQ(site.send(4, 2, 50).size(), 50);
  std::atomic<bool> done{false};
  std::size_t sent = 0;
  std::vector<Clock::time_point> arrivals;
  std::atomic<std::size_t> arrived{0};
  const auto until_more_arrive = [&arrived] {
    return eventually([&arrived, wanted = arrived + 50] { return arrived >= wanted; });
  };
  std::thread flow([&] {
    constexpr auto kPace = 5ms;
    const RawSocket sender(site.robot(4), "eth0");
    while (!done) {
      sender.send(udp_frame(5, 3, 400, ++sent));
      std::this_thread::sleep_for(kPace);
    }
  });
  std::thread heard([&] {
    const RawSocket receiver(site.robot(2), "eth0", 0x0800);
    for (Clock::time_point end = Clock::time_point::max(); Clock::now() < end;) {
      if (receiver.receive(100ms)) {
        arrivals.push_back(Clock::now());
        ++arrived;
      }
      end = done && end == Clock::time_point::max() ? Clock::now() + 1s : end;
    }
  });
  EXPECT_TRUE(until_more_arrive());
  site.kill(0);
  EXPECT_TRUE(until_decided_at(site, 1, "b"));
  EXPECT_TRUE(until_decided_at(site, 2, "b"));
  EXPECT_TRUE(until_more_arrive());
  first->stop(SIGKILL);
  site.start(0);
  EXPECT_TRUE(site.until_state(2, 0, "here", 60s));
  EXPECT_TRUE(site.until_state(1, 0, "here", 60s));
  first = simulator_at(site, 0);
  EXPECT_TRUE(until_decided_at(site, 1, "a")) << site.status(1)["site"];
  EXPECT_TRUE(until_decided_at(site, 2, "a")) << site.status(2)["site"];
  EXPECT_TRUE(until_decided_at(site, 0, "a")) << site.status(0)["site"];
  EXPECT_TRUE(until_more_arrive());
  done = true;
  flow.join();
  heard.join();
  Clock::duration longest{0};
  for (std::size_t i = 1; i < arrivals.size(); ++i) {
    longest = std::max(longest, arrivals[i] - arrivals[i - 1]);
  }
  std::cout << fmt::format("sent {}, arrived {}; nothing arrived for {} ms at most\n", sent, arrivals.size(),
                           std::chrono::duration_cast<std::chrono::milliseconds>(longest).count());
  EXPECT_GT(longest, 50ms) << "the gateway that decided was gone";
  EXPECT_LT(longest, 1500ms) << "5 windows and the lag, and what the death of a gateway may take";

  // Nobody has one any more.
  first->stop(SIGKILL);
  second->stop(SIGKILL);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    ASSERT_TRUE(until_decided_at(site, i, nullptr)) << site.status(i)["site"];
  }
  const auto missing = [&] { return site.status(2)["totals"]["dropped"].value("verdict_missing", std::uint64_t{0}); };
  const std::uint64_t before = missing();
  EXPECT_EQ(site.send(4, 2, 50).size(), 0);
  EXPECT_EQ(missing(), before + 50);
  EXPECT_TRUE(site.until(2, [](const nlohmann::json& status) {
    return status["conditions"].dump().find("air_without_author") != std::string::npos;
  })) << site.status(2)["conditions"];
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    EXPECT_TRUE(site.status(i)["totals"]["balanced"]) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Protocols, SiteVerdictsAfterLosses, testing::Values("native"));
INSTANTIATE_TEST_SUITE_P(Protocols, SiteVerdicts, testing::Values("native", "rosnetsim"),
                         [](const auto& protocol) { return std::string(protocol.param); });

}  // namespace hilgate::test
