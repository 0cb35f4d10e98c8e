// SPDX-License-Identifier: Apache-2.0
// What robots see when the gateway dies: a wire, a wall, or what the operator joins by hand.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>

#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/packets.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Red to blue loses everything in the air, so a frame that arrives came past it.
constexpr auto kDeadAir = "netsim: {type: wire}\nlinks: [{from: red, to: blue, loss: 100 %}]\n";

class FailModes : public GatewayTest {
 protected:
  void start(const std::string& port_keys) {
    gateway_ = std::make_unique<RunningGateway>(GatewaySetup{.yaml = kDeadAir, .port = port_keys});
    for (std::size_t n = 0; n < 2; ++n) {
      // A veth end takes frames that XDP redirects to it only while it polls, which GRO makes it do.
      gateway_->robot(n).run_ok("ethtool -K eth0 gro on");
      sockets_.push_back(std::make_unique<RawSocket>(gateway_->robot(n), "eth0"));
    }
  }
  void TearDown() override {
    if (gateway_) {
      gateway_->process().signal(SIGKILL);
      gateway_->process().wait(10s);
      hilgate({"detach"});
    }
  }

  // A gateway that was killed counts as alive until its last sign of life is stale: asked until it is obeyed.
  std::string hilgate(const std::vector<std::string>& command) {
    std::vector<std::string> argv = {hilgate_program()};
    argv.insert(argv.end(), command.begin(), command.end());
    argv.push_back(gateway_->run());
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    for (;;) {
      const auto process = gateway_->lab().gateway().start(argv);
      if (process->wait(10s) == 0) {
        return process->output();
      }
      if (std::chrono::steady_clock::now() > deadline) {
        ADD_FAILURE() << process->output();
        return process->output();
      }
    }
  }
  void kill() {
    gateway_->process().signal(SIGKILL);
    gateway_->process().wait(10s);
  }

  Bytes send() {
    const Bytes sent = ethernet({robot_mac(1)}, 0x9999, Bytes(46, ++sequence_ & 0x7f));
    sockets_[0]->send(sent);
    return sent;
  }
  // Whether a frame of red's goes through the packet path, whose air loses it, and does not reach blue.
  bool is_lost_on_the_air() {
    const auto lost = [](const GatewayStatus& now) { return now.dropped("configured_loss"); };
    const std::uint64_t before = lost(gateway_->status());
    const Bytes sent = send();
    const auto after = gateway_->status_when([&](const GatewayStatus& now) { return lost(now) > before; });
    bool arrived = false;
    while (const auto seen = sockets_[1]->receive(0ms)) {
      arrived |= *seen == sent;
    }
    return lost(after) > before && !arrived;
  }
  // Whether a frame of red's reaches blue within `patience`.
  bool passes(std::chrono::milliseconds patience) {
    const Bytes sent = send();
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < deadline) {
      const auto seen = sockets_[1]->receive(patience);
      if (seen && *seen == sent) {
        return true;
      }
    }
    return false;
  }
  bool comes_to_pass() {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (std::chrono::steady_clock::now() < deadline) {
      if (passes(20ms)) {
        return true;
      }
    }
    return false;
  }
  std::string programs() { return gateway_->lab().gateway().run_ok("ip link"); }

  std::unique_ptr<RunningGateway> gateway_;
  std::vector<std::unique_ptr<RawSocket>> sockets_;
  unsigned sequence_ = 0;
};

TEST_F(FailModes, WireJoinsTheRobotsWhenTheGatewayIsKilled) {
  start(", fail: wire");
  EXPECT_TRUE(is_lost_on_the_air());
  kill();
  EXPECT_TRUE(comes_to_pass());
}

TEST_F(FailModes, BlockIsTheDefaultAndLetsNothingPass) {
  start("");
  kill();
  for (int n = 0; n < 10; ++n) {
    EXPECT_FALSE(passes(10ms));
  }
  EXPECT_THAT(programs(), HasSubstr("prog/xdp"));
}

TEST_F(FailModes, WireAndDetachByHandSayWhatTheyDo) {
  start(", fail: block");
  EXPECT_TRUE(is_lost_on_the_air());
  EXPECT_THAT(hilgate({"wire", "on"}), HasSubstr("bypassing the packet path"));
  EXPECT_TRUE(comes_to_pass());
  const auto wired = [this] { return hilgate({"status"}).find("! wire on: ") != std::string::npos; };
  gateway_->status_when([&](const GatewayStatus&) { return wired(); });
  EXPECT_THAT(hilgate({"status"}), AllOf(HasSubstr("! wire on: "), HasSubstr("nothing is simulated"),
                                         HasSubstr("hilgate wire off " + gateway_->run())));
  const std::string log = gateway_->output();
  EXPECT_NE(log.find("[warning] wire on: "), std::string::npos);
  EXPECT_EQ(log.find("[warning] wire on: "), log.rfind("[warning] wire on: ")) << "once";
  EXPECT_THAT(hilgate({"wire", "off"}), HasSubstr("on the packet path again"));
  EXPECT_TRUE(is_lost_on_the_air());
  gateway_->status_when([&](const GatewayStatus&) { return !wired(); });
  EXPECT_FALSE(wired());

  gateway_->process().signal(SIGSTOP);
  const auto refused = gateway_->lab().gateway().start({hilgate_program(), "detach", gateway_->run()});
  EXPECT_EQ(refused->wait(10s), 1);
  EXPECT_THAT(refused->output(), HasSubstr("is running; stop it first"));
  EXPECT_THAT(programs(), HasSubstr("prog/xdp"));

  kill();
  EXPECT_THAT(hilgate({"wire", "off"}), HasSubstr("no gateway is running; its ports go by their fail modes"));
  EXPECT_THAT(hilgate({"detach"}), HasSubstr("detached hg-"));
  EXPECT_THAT(programs(), Not(HasSubstr("prog/xdp")));
  EXPECT_THAT(hilgate({"detach"}), HasSubstr("keeps nothing in the kernel"));
}

}  // namespace
}  // namespace hilgate::test
