// SPDX-License-Identifier: Apache-2.0
// Two robots behind a switch that keeps them apart, a Linux bridge with isolated ports, and a third one on a port of
// its own: the air of the gateway is between all of them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::size_t kIsolatedRed = 10;  // as a robot of NetLab, beside `base`, which is robot 1 of the lab
constexpr std::size_t kIsolatedBlue = 11;
constexpr std::size_t kOpenBase = 1;

std::string robot_line(const std::string& name, const std::string& port, std::size_t n) {
  return fmt::format("  {}: {{port: {}, mac: \"{}\", ip: [{}, \"{}\"]}}\n", name, port, NetLab::mac(n), NetLab::ipv4(n),
                     NetLab::ipv6(n));
}

GatewaySetup with_links(const std::string& links) {
  return {.yaml = "netsim: {type: wire}\nlinks:\n" + links,
          .robots = {"switch", "base"},
          .wiring = "ports: {s: {interface: hg-switch, isolated: true}, b: {interface: hg-base}}\nrobots:\n" +
                    robot_line("red", "s", kIsolatedRed) + robot_line("blue", "s", kIsolatedBlue) +
                    robot_line("base", "b", kOpenBase),
          .ipv6 = true};
}

/// The lab's robot 0 is the switch.
class IsolatedLab {
 public:
  explicit IsolatedLab(const std::string& links) : gateway(with_links(links)), red("iso-red"), blue("iso-blue") {
    const NetNs& bridge = gateway.robot(0);
    bridge.run_ok("ip addr flush dev eth0 && ip link add sw type bridge && ip link set sw up");
    plug(red, "to-red", kIsolatedRed);
    plug(blue, "to-blue", kIsolatedBlue);
    bridge.run_ok("ip link set eth0 master sw && bridge link set dev eth0 learning off");
  }

  [[nodiscard]] const NetNs& base() const { return gateway.robot(kOpenBase); }

  RunningGateway gateway;
  NetNs red, blue;

 private:
  void plug(const NetNs& robot, const std::string& port, std::size_t n) const {
    const NetNs& bridge = gateway.robot(0);
    VethPair({&bridge, port}, {&robot, "eth0", NetLab::mac(n), {NetLab::ipv4(n) + "/24", NetLab::ipv6(n) + "/64"}});
    bridge.run_ok(fmt::format("ip link set {0} master sw && bridge link set dev {0} isolated on learning off", port));
  }
};

/// Of the line "5 packets transmitted, 5 received, ..." and of "rtt min/avg/max/mdev = 20.1/...".
struct Pings {
  int received = -1;
  double least_ms = -1;
  std::string output;
};
Pings ping(const NetNs& from, const std::string& arguments) {
  Pings pings{.output = from.run("ping " + arguments).output};
  const std::string& text = pings.output;
  const auto number_behind = [&text](std::string_view mark, auto& number) {
    if (const auto at = text.find(mark); at != std::string::npos) {
      std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), number);
    }
  };
  number_behind("transmitted, ", pings.received);
  number_behind("mdev = ", pings.least_ms);
  return pings;
}

using IsolatedPortTest = GatewayTest;

TEST_F(IsolatedPortTest, RobotsOfOnePortFindEachOtherAndPingAndMulticastThroughTheAir) {
  const IsolatedLab lab("  - {from: red, to: blue, delay: 10ms}\n  - {from: blue, to: red, delay: 15ms}\n");
  for (const std::string& to : {NetLab::ipv4(kIsolatedBlue), NetLab::ipv6(kIsolatedBlue)}) {
    const Pings pings = ping(lab.red, "-c 5 -i 0.1 -W 5 " + to);
    EXPECT_EQ(pings.received, 5) << pings.output;
    EXPECT_GE(pings.least_ms, 25) << pings.output;
  }
  for (const std::string& to : {NetLab::ipv4(kOpenBase), NetLab::ipv6(kOpenBase)}) {
    EXPECT_EQ(ping(lab.red, "-c 3 -i 0.1 -W 5 " + to).received, 3);
    EXPECT_EQ(ping(lab.blue, "-c 3 -i 0.1 -W 5 " + to).received, 3);
  }
  const GatewayStatus status = lab.gateway.settled(0);
  EXPECT_GE(status.link("red", "blue").counts("released"), 10U);
  EXPECT_TRUE(status.balanced);
  EXPECT_EQ(status.dropped("spoofed_sender"), 0U);

  // Kernels accept multicast at their unicast address.
  control_request(control_socket(lab.gateway.run()), {{"command", "set"}, {"values", {"links.red.base.loss=100 %"}}});
  const std::string answers = lab.red.run("ping -c 30 -i 0.1 -W 2 ff02::1%eth0").output;
  EXPECT_THAT(answers, HasSubstr("from " + NetLab::ipv6(kIsolatedBlue) + ":"));
  EXPECT_THAT(answers, testing::Not(HasSubstr("from " + NetLab::ipv6(kOpenBase) + ":"))) << "which hears nothing";
}

}  // namespace
}  // namespace hilgate::test
