// SPDX-License-Identifier: Apache-2.0
// Frames that nobody may have sent or nobody can hear: dropped and counted by reason, and the gateway goes on.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"
#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr MacAddress kStranger{0x02AA'BBCC'DDEE};

class RefusedFrames : public GatewayTest {
 protected:
  void open(const GatewaySetup& setup = {}) {
    gateway_ = std::make_unique<RunningGateway>(setup);
    if (!red_) {
      red_ = std::make_unique<RawSocket>(gateway_->robot(0), "eth0");
    }
  }
  /// Sends a frame from red's port; it must be the only one dropped, for this reason, and blue must not hear it.
  void expect_refused(const Bytes& frame, const std::string& reason) {
    const RawSocket blue(gateway_->robot(1), "eth0");
    const GatewayStatus before = gateway_->status();
    red_->send(frame);
    const GatewayStatus after = gateway_->settled(before.totals("frames_captured") + 1);
    EXPECT_EQ(after.dropped(reason), before.dropped(reason) + 1) << reason;
    EXPECT_EQ(after.totals("dropped_total"), before.totals("dropped_total") + 1);
    EXPECT_EQ(after.totals("out"), before.totals("out"));
    EXPECT_FALSE(blue.receive(0ms));
  }
  /// A good frame still passes.
  void expect_alive() {
    const RawSocket blue(gateway_->robot(1), "eth0");
    const Bytes frame = ethernet({robot_mac(1), robot_mac(0)}, kTrafficEthertype, counting(100));
    red_->send(frame);
    EXPECT_THAT(blue.receive(5s), testing::Optional(frame));
  }

  std::unique_ptr<RunningGateway> gateway_;
  std::unique_ptr<RawSocket> red_;
};

TEST_F(RefusedFrames, UnknownSender) {
  open();
  expect_refused(ethernet({robot_mac(1), kStranger}, kTrafficEthertype, counting(100)), "unknown_sender");
  expect_alive();
}

// So that people see which device the configuration lacks.
TEST_F(RefusedFrames, TheLastUnknownSenderIsNamedInStatusAndOnceInTheLog) {
  open();
  const auto status = [this] { return control_request(control_socket(gateway_->run()), {{"command", "status"}}); };
  EXPECT_TRUE(status().at("unknown_senders").empty());
  const auto send = [this](MacAddress from) {
    expect_refused(ethernet({robot_mac(1), from}, kTrafficEthertype, counting(100)), "unknown_sender");
  };
  send(kStranger);
  const std::string logged = "port red: frames from 02:aa:bb:cc:dd:ee are dropped as unknown_sender";
  ASSERT_TRUE(gateway_->process().wait_for_output(logged, 20s)) << gateway_->output();
  send(kStranger);
  const auto senders = status().at("unknown_senders");
  ASSERT_EQ(senders.size(), 1U);
  EXPECT_EQ(senders[0].at("mac"), "02:aa:bb:cc:dd:ee");
  EXPECT_EQ(senders[0].at("frames"), 2);
  EXPECT_EQ(senders[0].at("port"), "red");
  EXPECT_THAT(run_ok({hilgate_program(), "status", gateway_->run()}),
              testing::HasSubstr("unknown sender on port red: 02:aa:bb:cc:dd:ee; 2 frames"));
  send(MacAddress{0x02AA'BBCC'DDEF});
  ASSERT_TRUE(gateway_->process().wait_for_output("frames from 02:aa:bb:cc:dd:ef", 20s)) << gateway_->output();
  const std::string log = gateway_->output();
  EXPECT_EQ(log.find(logged), log.rfind(logged)) << log;
  expect_alive();
}

TEST_F(RefusedFrames, LongerThanTheFrameLimit) {
  open({.yaml = "memory: {frames: 8192}\nnetsim: {type: wire}\n", .veth = {.mtu = 9600}});
  expect_refused(ethernet({robot_mac(1), robot_mac(0)}, kTrafficEthertype, counting(9018 - 14 + 1)), "oversize");
  expect_alive();
}

TEST_F(RefusedFrames, UnknownProtocolsAreTreatedAsPayload) {
  open();
  gateway_->mute();
  const RawSocket blue(gateway_->robot(1), "eth0");
  const Layer2 to{robot_mac(1), robot_mac(0)};
  for (const Bytes& frame : {
           ethernet(to, 0x0800, {0x4f, 0, 0xff, 0xff}),                // IPv4, cut off in its header
           ethernet(to, 0x0800, Bytes(20, 0xff)),                      // no such version
           ethernet(to, 0x86dd, {0x60, 0, 0, 0, 0xff, 0xff}),          // IPv6, cut off
           ethernet(to, 0x86dd, ipv6(0, {17, 0xff})),                  // an extension header longer than the packet
           ethernet(to, 0x0806, {0, 1}),                               // ARP, cut off
           ethernet(to, 0x0800, ipv4(17, {0, 1})),                     // UDP, cut off
           ethernet(to, 0x0800, ipv4(6, tcp({}, 0, 80), {}, 0x2000)),  // the first of several fragments
           ethernet(to, 0x0003, counting(3)),                          // an IEEE 802.3 length
       }) {
    red_->send(frame);
    EXPECT_THAT(blue.receive(5s), testing::Optional(frame));
  }
}

}  // namespace
}  // namespace hilgate::test
