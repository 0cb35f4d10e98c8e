// SPDX-License-Identifier: Apache-2.0
// A robot that talks to the host before, during and after a run.
#include <csignal>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/fault/fault_record.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kBox = "10.77.0.254";

// Red talks to the host without a pause; the host's interface has an address and a service.
class RobotToHost : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    lab_ = std::make_unique<NetLab>("e2e", std::vector<std::string>{"red", "blue"});
    const std::string address = host().run_ok("cat /sys/class/net/hg-red/address");
    host().run_ok(fmt::format("ip addr add {}/24 dev hg-red", kBox));
    lab_->robot(0).run_ok(fmt::format("ip neigh replace {} dev eth0 lladdr {}", kBox, address));
    service_ = std::make_unique<UdpSocket>(host(), "0.0.0.0", 7777);
    red_ = std::make_unique<UdpSocket>(lab_->robot(0), "0.0.0.0", 7000);
    file_ = folder_.write(ports_and_robots({"red", "blue"}) + "netsim: {type: wire}\n");
  }
  [[nodiscard]] const NetNs& host() const { return lab_->gateway(); }
  std::unique_ptr<Process> hilgate(const std::string& command, const std::string& about) {
    return host().start({hilgate_program(), command, about});
  }
  // Whether one of twenty datagrams gets through.
  bool reaches_host() {
    for (int i = 0; i < 20; ++i) {
      red_->send(kBox, 7777, {1, 2, 3});
    }
    const bool reached = service_->receive(100ms).has_value();
    while (service_->receive(10ms)) {
    }
    return reached;
  }

  RunFolder folder_;
  std::unique_ptr<NetLab> lab_;
  std::unique_ptr<UdpSocket> service_;
  std::unique_ptr<UdpSocket> red_;
  std::string file_;
};

TEST_F(RobotToHost, IsKeptOutFromBeforeTheInterfaceIsUpUntilDetach) {
  ASSERT_TRUE(reaches_host()) << "the test itself";
  host().run_ok("ip link set hg-red down");
  const auto close = hilgate("close", file_);
  ASSERT_EQ(close->wait(20s), 0) << close->output();
  EXPECT_THAT(close->output(), testing::HasSubstr("closed hg-red, hg-blue"));
  host().run_ok("ip link set hg-red up");
  EXPECT_FALSE(reaches_host()) << "before the run";
  for (const int signal : {SIGTERM, SIGKILL}) {
    const auto run = hilgate("run", file_);
    ASSERT_TRUE(run->wait_for_output("running", 20s)) << run->output();
    EXPECT_FALSE(reaches_host()) << "during the run";
    run->signal(signal);
    run->wait(10s);
    EXPECT_FALSE(reaches_host()) << "after the run, signal " << signal;
  }
  const auto detach = hilgate("detach", folder_.run());
  EXPECT_EQ(detach->wait(10s), 0) << detach->output();
  EXPECT_TRUE(reaches_host()) << "after `hilgate detach`";
  record({"A robot talks to the host before, during and after a run, and after a kill",
          "Ports are closed by default, by `hilgate close` from before their interfaces are up, until `hilgate detach`",
          "0 of 100 datagrams reached the host"});

  host().run_ok("ip link set hg-red down");
  const auto run = hilgate("run", file_);
  ASSERT_TRUE(run->wait_for_output("running", 20s)) << run->output();
  EXPECT_FALSE(reaches_host());
  record({"A robot talks to the host while a run sets its port's interface up",
          "The program is attached before the interface is up", "0 of 20 datagrams reached the host"});
}

TEST_F(RobotToHost, SecondRunOnAPortNamesItsOwnerAndTakesThePortOverAtTheOwnersEnd) {
  const auto run = hilgate("run", file_);
  ASSERT_TRUE(run->wait_for_output("running", 20s)) << run->output();
  const RunFolder other;
  const std::string file = other.write(ports_and_robots({"red", "blue"}) + "netsim: {type: wire}\n");
  const auto second = hilgate("run", file);
  EXPECT_EQ(second->wait(20s), 2);
  EXPECT_THAT(second->output(),
              testing::HasSubstr(fmt::format("the XDP program of run '{}' is attached; it is running", folder_.run())));
  run->signal(SIGKILL);
  run->wait(10s);
  const auto third = hilgate("run", file);
  ASSERT_TRUE(third->wait_for_output("running", 20s)) << third->output();
  EXPECT_FALSE(reaches_host());
  EXPECT_NE(host().run("test -e /sys/fs/bpf/hilgate/" + folder_.run()).status, 0) << "the first run's programs";
  third->signal(SIGTERM);
  EXPECT_EQ(third->wait(10s), 0);
  EXPECT_FALSE(reaches_host());
  record({"A second run is started on a port of a first, that runs, and after it was killed",
          "Refused with the first one's name; taken over when that has ended; never open in between",
          "0 of 40 datagrams reached the host"});
}

}  // namespace
}  // namespace hilgate::test
