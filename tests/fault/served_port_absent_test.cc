// SPDX-License-Identifier: Apache-2.0
// A port that is served time, whose interface comes and goes.
#include <nlohmann/json.hpp>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/fault/port_fixture.h"
#include "tests/support/eventually.h"

namespace hilgate::test {
namespace {

class ServedPort : public PortFault {
 protected:
  [[nodiscard]] nlohmann::ordered_json served() const {
    return control_request(control_socket(gateway_->run()), {{"command", "clock"}})["serves"][0];
  }
  [[nodiscard]] nlohmann::ordered_json when_served_is(const std::string& state, std::uint64_t syncs = 0) const {
    nlohmann::ordered_json now;
    EXPECT_TRUE(eventually([&] {
      now = served();
      return now["state"] == state && now["syncs"].get<std::uint64_t>() >= syncs;
    })) << gateway_->output();
    return now;
  }
};

TEST_F(ServedPort, IsServedWhileItsInterfaceExists) {
  gateway_ = std::make_unique<RunningGateway>(
      GatewaySetup{.yaml = "netsim: {type: wire}\nclock: {serve: [{port: green, transport: l2}]}\n",
                   .robots = {"red", "blue", "green"},
                   .before = "ip link delete hg-green"});
  green().run_ok("echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6");
  EXPECT_EQ(when_served_is("waiting")["problem"], "there is no such interface");
  EXPECT_EQ(said("port green: serves no time over PTP until it can: there is no such interface"), 1U);
  for (std::size_t round = 1; round <= 2; ++round) {
    plug_green_in();
    const auto now = when_served_is("master", 5);
    EXPECT_GE(now["syncs"], 5U);
    EXPECT_EQ(now["problem"], "");
    EXPECT_EQ(said("port green: serves wall time over PTP"), round);
    while_others_lose_nothing([&] {
      link("delete hg-green");
      EXPECT_EQ(when_served_is("waiting")["problem"], "there is no such interface");
    });
  }
  record({"The interface of a port that is served time is absent at the start, and comes and goes",
          "The run starts, reports it once each time, and serves while the interface exists",
          "5 Sync messages each time"});
}

}  // namespace
}  // namespace hilgate::test
