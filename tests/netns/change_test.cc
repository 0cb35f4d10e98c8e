// SPDX-License-Identifier: Apache-2.0
// What of a change at run time needs the kernel: signals, and tables of BPF programs. The rest is in
// tests/gateway/daemon.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

using ChangeTest = GatewayTest;

nlohmann::ordered_json ask(const RunningGateway& gateway, const nlohmann::json& request) {
  return control_request(control_socket(gateway.run()), request);
}
void set(const RunningGateway& gateway, const std::vector<std::string>& values) {
  ask(gateway, {{"command", "set"}, {"values", values}});
}
// What the gateway has against a change; empty when it took it.
std::string refusal(const RunningGateway& gateway, const std::vector<std::string>& values) {
  try {
    set(gateway, values);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}
std::uint64_t changes(const RunningGateway& gateway) {
  return ask(gateway, {{"command", "status"}})["totals"]["changes"].get<std::uint64_t>();
}
TEST_F(ChangeTest, OfMoreAddressesThanTheKernelHasRoomForIsRefusedBeforeThePathChanges) {
  const RunningGateway gateway({.yaml = "netsim: {type: wire}\n", .port = ", fail: wire"});
  const auto port = ask(gateway, {{"command", "status"}})["robots"][1]["port"].get<std::string>();
  std::string macs;
  for (unsigned mac = 0; mac < 300; ++mac) {
    macs += fmt::format("{}'02:77:00:00:{:02x}:{:02x}'", mac == 0 ? "" : ", ", mac / 256, mac % 256);
  }
  EXPECT_THAT(refusal(gateway, {fmt::format("robots.green={{port: {}, mac: [{}]}}", port, macs)}),
              HasSubstr("the table of the fail modes has room for"));
  EXPECT_EQ(changes(gateway), 0U);
  NumberedTraffic traffic(gateway);
  EXPECT_THAT(lost(traffic.to_one({.frames = 200}), 200), IsEmpty());
}

// A hangup reads the file again, as `hilgate reload` does; a refusal is in the log.
TEST_F(ChangeTest, SighupIsAReload) {
  RunningGateway gateway({.yaml = "netsim: {type: wire}\n"});
  std::ofstream(gateway.file(), std::ios::app) << "links: [{from: red, to: blue, loss: 100 %}]\n";
  gateway.process().signal(SIGHUP);
  gateway.status_when([&](const GatewayStatus&) { return changes(gateway) == 1; });
  EXPECT_EQ(changes(gateway), 1U) << gateway.output();
  std::ofstream(gateway.file(), std::ios::app) << "nonsense: 1\n";
  gateway.process().signal(SIGHUP);
  EXPECT_TRUE(gateway.process().wait_for_output("reload refused, the configuration is unchanged", 20s))
      << gateway.output();
  NumberedTraffic traffic(gateway);
  EXPECT_EQ(lost(traffic.to_one({.frames = 20}), 20).size(), 20U);
  EXPECT_EQ(changes(gateway), 1U);
}

}  // namespace
}  // namespace hilgate::test
