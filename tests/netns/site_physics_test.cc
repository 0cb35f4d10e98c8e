// SPDX-License-Identifier: Apache-2.0
// Three real gateways of one site, whose robots are moved, or links said, by each kind of simulator at one of them; or
// whose robots say where they are, each at its own gateway.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

#include "tests/netns/gateway_test.h"
#include "tests/netns/site_lab.h"
#include "tests/support/mavlink_writer.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kAdHoc = ", radio: wifi_11n_2g4_adhoc";
constexpr const char* kSlowAir = "  air_lag: 300ms\n";

class SitePhysics : public GatewayTest {
 protected:
  static std::unique_ptr<Process> start_at(const SiteLab& lab, std::size_t gateway, std::vector<std::string> words) {
    lab.gateway(gateway).run_ok("ip link set lo up");
    words.insert(words.begin(), {hilgate_program(), "sim"});
    return lab.gateway(gateway).start(words);
  }
  static void start_all(SiteLab& site) {
    for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
      site.gateway(i).run_ok("ip link set lo up");
      site.start(i);
    }
    ASSERT_TRUE(site.until_all_here()) << site.output(0);
    for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
      ASSERT_TRUE(site.until_commands(i)) << site.output(i);
    }
  }
  static bool until(const SiteLab& site, std::size_t gateway, const std::function<bool(const nlohmann::json&)>& good) {
    return site.until(gateway, [&](const nlohmann::json& status) { return status.contains("site") && good(status); });
  }
  static bool until_author(const SiteLab& site, std::size_t gateway, const nlohmann::json& author) {
    return until(site, gateway,
                 [&](const nlohmann::json& status) { return status["site"]["air"]["author"] == author; });
  }
  static bool are_heard(const nlohmann::json& status) {
    std::size_t heard = 0;
    for (const nlohmann::json& link : status["links"]) {
      heard += link["reachable"].get<bool>() && link["snr_db"].get<double>() > 0 ? 1 : 0;
    }
    return heard == SiteLab::kRobots * (SiteLab::kRobots - 1);
  }
  static bool is_reachable(const nlohmann::json& status, const std::string& from, const std::string& to) {
    for (const nlohmann::json& link : status["links"]) {
      if (link["from"] == from && link["to"] == to) {
        return link["reachable"].get<bool>();
      }
    }
    return false;
  }
  static double x_of(const nlohmann::json& status, std::size_t robot) {
    const nlohmann::json& at = status["robots"][robot];
    return at.contains("position") ? at["position"][0].get<double>() : 0;
  }
};

}  // namespace

TEST_F(SitePhysics, PositionsThatAreSentToOneGatewayMoveTheRobotsOfAll) {
  SiteLab site("window: 100ms\nnetsim: {type: embedded}\nphysics: {type: cornet}\n", false,
               {.robot = kAdHoc, .site = kSlowAir});
  start_all(site);
  std::vector<std::string> words = {"positions", "--protocol", "cornet", "--robots", "6", "--run", site.run(1)};
  for (std::size_t i = 0; i < SiteLab::kRobots; ++i) {
    words.insert(words.end(), {"--name", fmt::format("r{}", i)});
  }
  const auto sender = start_at(site, 1, words);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    EXPECT_TRUE(until_author(site, i, "b")) << site.status(i)["site"]["air"] << sender->output() << site.output(1);
    EXPECT_TRUE(until(site, i, are_heard)) << site.status(i)["links"];
  }
  EXPECT_GT(site.send(0, 4, 100).size(), 50);
  EXPECT_GT(site.send(4, 3, 100).size(), 50);
  const nlohmann::json air = site.status(2)["site"]["air"];
  EXPECT_EQ(air["refused"], 0);
  EXPECT_EQ(air["author"], "b");
}

// One that says what changes, and goes on answering.
TEST_F(SitePhysics, NetworkSimulatorWithOneLinkUpdateStaysAuthor) {
  SiteLab site("window: 50ms\nnetsim: {type: native, answers: links, address: \"tcp:127.0.0.1:7401\"}\n", false,
               {.site = kSlowAir});
  start_all(site);
  const auto netsim = site.gateway(1).start({"/usr/bin/env", "PYTHONPATH=" HILGATE_BIN_DIR "/../examples/native-peer",
                                             "/usr/bin/python3", HILGATE_LINKS_SIMULATOR, "7401"});
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    ASSERT_TRUE(until_author(site, i, "b")) << site.status(i)["site"]["air"] << netsim->output() << site.output(1);
    EXPECT_TRUE(until(site, i, [](const nlohmann::json& status) { return !is_reachable(status, "r0", "r5"); })) << i;
    EXPECT_TRUE(is_reachable(site.status(i), "r5", "r0"));
  }
  const nlohmann::json before = site.status(2)["site"]["air"];
  EXPECT_EQ(site.send(0, 5, 20).size(), 0);
  EXPECT_EQ(site.send(5, 0, 20).size(), 20);
  const nlohmann::json after = site.status(2)["site"]["air"];
  EXPECT_EQ(after["author"], "b");
  EXPECT_EQ(after["changes"], before["changes"]);
  EXPECT_FALSE(is_reachable(site.status(2), "r0", "r5"));
}

// It says no links at all: these are cables with what configuration adds.
TEST_F(SitePhysics, DancersNetworkSimulatorIsAuthorWithoutLinkStates) {
  SiteLab site("window: 100ms\nnetsim: {type: dancers, address: \"tcp:127.0.0.1:7401\"}\n", false, {.site = kSlowAir});
  start_all(site);
  const auto netsim = start_at(
      site, 1,
      {"network", "--protocol", "dancers", "--socket", "tcp:127.0.0.1:7401", "--robots", "6", "--window", "100ms"});
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    ASSERT_TRUE(until_author(site, i, "b")) << site.status(i)["site"]["air"] << netsim->output() << site.output(1);
  }
  EXPECT_EQ(site.send(0, 4, 50).size(), 50);
  EXPECT_EQ(site.status(2)["site"]["air"]["author"], "b");
}

namespace {

// MAVLink of a robot, to another.
Bytes mavlink_frame(unsigned from, unsigned to, const Bytes& message) {
  return ip_frame({.destination = robot_mac(to), .source = robot_mac(from), .tags = {}},
                  {.source = ipv4_of(from + 1).text(), .destination = ipv4_of(to + 1).text()}, 17,
                  udp(message, 14550, 14550));
}

}  // namespace

TEST_F(SitePhysics, PositionsSentToOneGatewayReachAll) {
  std::string yaml =
      "window: 50ms\nnetsim: {type: embedded}\nphysics:\n  type: mavlink\n"
      "  origin: {latitude: 47.4, longitude: 8.5, altitude: 400m}\n  start:\n";
  for (std::size_t i = 0; i < SiteLab::kRobots; ++i) {
    yaml += fmt::format("    r{}: [{}m, 0m, 5m]\n", i, 10 * i);
  }
  SiteLab site(yaml, false, {.robot = kAdHoc, .site = kSlowAir, .ips = true});
  start_all(site);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    ASSERT_TRUE(until_author(site, i, "a")) << site.status(i)["site"]["air"];
    EXPECT_TRUE(
        until(site, i,
              [](const nlohmann::json& status) { return status["site"]["air"]["authors"] == nlohmann::json({"a"}); }))
        << "others need not say it: " << site.status(i)["site"]["air"];
    EXPECT_TRUE(until(site, i, are_heard)) << site.status(i)["links"];
  }
  const RawSocket third(site.robot(3), "eth0");
  const RawSocket last(site.robot(5), "eth0");
  MavlinkWriter third_vehicle(4);
  MavlinkWriter last_vehicle(6);
  // Vehicles say it again and again.
  const auto until_there = [&](std::size_t gateway, float east, bool reachable) {
    return until(site, gateway, [&](const nlohmann::json& status) {
      third.send(mavlink_frame(3, 0, third_vehicle.local_position(4, 0, 0)));
      last.send(mavlink_frame(5, 0, last_vehicle.local_position(east, 0, 0)));
      return x_of(status, 3) == 34 && x_of(status, 5) == 50 + east && is_reachable(status, "r0", "r5") == reachable &&
             is_reachable(status, "r0", "r3");
    });
  };
  for (const auto& [east, reachable] : {std::pair{25.0F, true}, std::pair{60000.0F, false}, std::pair{15.0F, true}}) {
    for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
      EXPECT_TRUE(until_there(i, east, reachable))
          << "gateway " << i << ", r5 " << east << " m east: " << site.status(i)["robots"] << site.output(i);
    }
  }
  site.kill(0);
  ASSERT_TRUE(until_author(site, 1, "b")) << site.status(1)["site"]["air"];
  ASSERT_TRUE(until_author(site, 2, "b")) << site.status(2)["site"]["air"];
  EXPECT_EQ(x_of(site.status(1), 5), 65);
  EXPECT_TRUE(is_reachable(site.status(2), "r3", "r5"));
  EXPECT_GT(site.send(5, 3, 50).size(), 25);
}

}  // namespace hilgate::test
