// SPDX-License-Identifier: Apache-2.0
// A gateway on two cores, and one whose kernel decides the links it can.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <signal.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

using CoresTest = GatewayTest;

TEST_F(CoresTest, FramesCrossInBothDirectionsAndBuffersReturn) {
  const RunningGateway gateway({.yaml = "packet_loop: {cores: [{ports: [red]}, {ports: [blue, green]}]}\n"
                                        "memory: {frames: 12288}\nnetsim: {type: wire}\n"
                                        "links: [{from: '*', to: '*', delay: 1ms}]\n",
                                .robots = {"red", "blue", "green"}});
  NumberedTraffic traffic(gateway);
  constexpr std::size_t kFrames = 20'000;  // more than the memory
  const auto arrivals = traffic.to_one({.frames = kFrames});
  EXPECT_THAT(lost(arrivals, kFrames), IsEmpty());
  EXPECT_EQ(arrivals.size(), kFrames);
  EXPECT_TRUE(std::is_sorted(arrivals.begin(), arrivals.end(),
                             [](const Arrival& a, const Arrival& b) { return a.sequence < b.sequence; }));
  NumberedTraffic all(gateway, {1, 2});
  for (const auto& of_one : all.exchange({.frames = 2000, .to = kBroadcast})) {
    EXPECT_THAT(lost(of_one, 2000), IsEmpty());
  }
  const GatewayStatus status = gateway.status();
  EXPECT_TRUE(status.balanced);
  EXPECT_EQ(status.totals("held"), 0U);
}

class KernelLinksTest : public GatewayTest {
 protected:
  void start(const std::string& links) {
    gateway_ = std::make_unique<RunningGateway>(
        GatewaySetup{.yaml = "kernel: {links: true}\nnetsim: {type: wire}\n" + links, .port = ", fail: wire"});
    for (std::size_t n = 0; n < 2; ++n) {
      // A veth end takes frames that XDP redirects to it only while it polls, which GRO makes it do.
      gateway_->robot(n).run_ok("ethtool -K eth0 gro on");
      sockets_.push_back(std::make_unique<RawSocket>(gateway_->robot(n), "eth0"));
    }
    let_windows_pass();
  }
  void TearDown() override {
    if (gateway_) {
      gateway_->process().signal(SIGTERM);
      gateway_->process().wait(10s);
      gateway_->lab().gateway().run_ok(hilgate_program() + " detach " + gateway_->run());
    }
  }

  // A link that has become perfect is the kernel's one table later.
  void let_windows_pass() {
    gateway_->status_when([first = gateway_->status().window("number")](const GatewayStatus& status) {
      return status.window("number") > first + 5;
    });
  }
  void set(const std::string& value) {
    control_request(control_socket(gateway_->run()), {{"command", "set"}, {"values", {value}}});
    let_windows_pass();
  }
  // How many of `frames` from red arrive at blue.
  std::size_t passing(std::size_t frames, std::chrono::milliseconds patience) {
    std::size_t arrived = 0;
    for (std::size_t n = 0; n < frames; ++n) {
      const Bytes sent = ethernet({robot_mac(1)}, 0x9999, Bytes(46, ++sequence_ & 0x7f));
      sockets_[0]->send(sent);
      while (const auto seen = sockets_[1]->receive(patience)) {
        if (*seen == sent) {
          ++arrived;
          break;
        }
      }
    }
    return arrived;
  }

  std::unique_ptr<RunningGateway> gateway_;
  std::vector<std::unique_ptr<RawSocket>> sockets_;
  unsigned sequence_ = 0;
};

TEST_F(KernelLinksTest, PerfectOnesNeedNoUserSpaceAndCountTheSame) {
  start("links: [{from: blue, to: red, delay: 1ms}]\n");
  const std::uint64_t captured = gateway_->status().totals("frames_captured");
  EXPECT_EQ(passing(100, 2s), 100U);
  EXPECT_EQ(gateway_->status().link("red", "blue").counts("released"), 100U);
  EXPECT_EQ(gateway_->status().totals("frames_captured"), captured);
  EXPECT_TRUE(gateway_->status().balanced);

  set("links.red.blue.delay=1ms");  // the packet path has them again
  EXPECT_EQ(passing(50, 2s), 50U);
  EXPECT_EQ(gateway_->status().totals("frames_captured"), captured + 50);
  EXPECT_EQ(gateway_->status().link("red", "blue").counts("released"), 150U);

  set("links.red.blue.delay=0ms");
  EXPECT_EQ(passing(50, 2s), 50U);
  EXPECT_EQ(gateway_->status().totals("frames_captured"), captured + 50);
}

}  // namespace
}  // namespace hilgate::test
