// SPDX-License-Identifier: Apache-2.0
// The gateway on DPDK devices: real frames between namespaces over net_af_packet, and what bad devices are told.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr auto kMemory = "memory: {frames: 4096}\ndpdk: {hugepages: false}\nnetsim: {type: wire}\n";

std::string packet(const char* robot) {
  return fmt::format("iface=hg-{},blocksz=4096,framesz=2048,framecnt=512,qpairs=1", robot);
}

// How long a gateway stands still: twice the delay of its link.
constexpr auto kStandsStill = 800ms;

// What a device at red's port must be told.
std::string arguments(const std::string& device) {
  if (device == "net_af_packet0") {
    return packet("red");
  }
  if (device == "net_af_xdp0") {
    return "iface=hg-red";
  }
  return device == "net_pcap0" ? "rx_iface_in=hg-red,tx_iface=hg-red" : "";
}

class Dpdk : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (!IsSkipped()) {
      lab_ = std::make_unique<NetLab>("dpdk", std::vector<std::string>{"red", "blue"});
    }
  }
  std::string file(const std::string& red_device, const std::string& red_keys, const std::string& more) {
    return folder_.write(
        fmt::format("ports:\n"
                    "  red: {{driver: dpdk, device: {}, device_arguments: \"{}\"{}}}\n"
                    "  blue: {{driver: dpdk, device: net_af_packet1, device_arguments: \"{}\"}}\n"
                    "robots:\n"
                    "  red: {{port: red, mac: \"{}\", ip: {}}}\n"
                    "  blue: {{port: blue, mac: \"{}\", ip: {}}}\n{}{}",
                    red_device, arguments(red_device), red_keys, packet("blue"), NetLab::mac(0), NetLab::ipv4(0),
                    NetLab::mac(1), NetLab::ipv4(1), kMemory, more));
  }
  Finished run(const std::string& path) { return lab_->gateway().run(hilgate_program() + " run " + path); }

  std::unique_ptr<NetLab> lab_;
  RunFolder folder_;
};

class DpdkDevice : public Dpdk, public testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Devices, DpdkDevice, testing::Values("net_af_packet", "net_af_xdp", "net_pcap"),
                         [](const auto& device) { return std::string(device.param); });

TEST_P(DpdkDevice, RobotsReachEachOtherThroughTheConfiguredDelay) {
  const std::string driver = GetParam();
  // DPDK's own driver for AF_XDP leaves a umem behind when it closes.
  const std::string leaks = driver == "net_af_xdp" ? "detect_leaks=0" : "detect_leaks=1";
  const auto gateway =
      lab_->gateway().start({"env", "LSAN_OPTIONS=" + leaks, hilgate_program(), "run",
                             file(driver + "0", "", "links: [{from: \"*\", to: \"*\", delay: 20ms}]\n")});
  ASSERT_TRUE(gateway->wait_for_output("running", 30s)) << gateway->output();
  const std::string ping = lab_->robot(0).run_ok("ping -c 3 -i 0.2 -W 10 " + NetLab::ipv4(1));
  EXPECT_THAT(ping, HasSubstr(" 0% packet loss"));
  const auto at = ping.find("min/avg/max/mdev = ");
  ASSERT_NE(at, std::string::npos) << ping;
  EXPECT_GE(std::stod(ping.substr(at + 19)), 40.0);  // there and back, never early
  const auto status = control_request(control_socket(folder_.run()), {{"command", "status"}});
  EXPECT_TRUE(status["totals"]["balanced"].get<bool>());
  EXPECT_EQ(status["ports"][0]["driver"], "dpdk");
  EXPECT_THAT(status["ports"][0]["mode"].get<std::string>(), HasSubstr(driver));
  gateway->signal(SIGTERM);
  EXPECT_EQ(gateway->wait(20s), 0) << gateway->output();
}

TEST_F(Dpdk, ATrunkTakesTagsOffAndPutsThemOn) {
  const std::string file =
      folder_.write(fmt::format("ports:\n"
                                "  red: {{driver: dpdk, device: net_af_packet0, device_arguments: \"{}\"}}\n"
                                "  blue: {{driver: dpdk, device: net_af_packet1, device_arguments: \"{}\"}}\n"
                                "robots:\n"
                                "  red: {{port: red, vlan: 10, mac: \"{}\"}}\n"
                                "  blue: {{port: blue, mac: \"{}\"}}\n{}",
                                packet("red"), packet("blue"), NetLab::mac(0), NetLab::mac(1), kMemory));
  const auto gateway = lab_->gateway().start({hilgate_program(), "run", file});
  ASSERT_TRUE(gateway->wait_for_output("running", 30s)) << gateway->output();
  const RawSocket red(lab_->robot(0), "eth0");
  const RawSocket blue(lab_->robot(1), "eth0");
  const auto frame = [](unsigned from, const std::vector<VlanTag>& tags) {
    return ethernet({.destination = robot_mac(1 - from), .source = robot_mac(from), .tags = tags}, 0x88B5,
                    counting(100));
  };
  const auto next = [](const RawSocket& socket, std::size_t type) {
    auto heard = socket.receive(5s);
    while (heard && (heard->size() < type + 2 || get16(*heard, type) != 0x88B5)) {
      heard = socket.receive(5s);
    }
    return heard.value_or(Bytes{});
  };
  red.send(frame(0, {{.control = 10}}));
  EXPECT_EQ(next(blue, 12), frame(0, {}));
  blue.send(frame(1, {}));
  EXPECT_EQ(next(red, 16), frame(1, {{.control = 10}}));
}

// Its interrupts are the tap's own descriptor. A bridge joins the tap with the robot's port.
TEST_F(Dpdk, DeviceWithInterruptsSleepsUntilAFrameArrives) {
  const std::string file =
      folder_.write(fmt::format("ports:\n"
                                "  red: {{driver: dpdk, device: net_tap0, device_arguments: iface=hgt-red}}\n"
                                "  blue: {{driver: dpdk, device: net_tap1, device_arguments: iface=hgt-blue}}\n"
                                "robots:\n"
                                "  red: {{port: red, mac: \"{}\", ip: {}}}\n"
                                "  blue: {{port: blue, mac: \"{}\", ip: {}}}\n{}",
                                NetLab::mac(0), NetLab::ipv4(0), NetLab::mac(1), NetLab::ipv4(1), kMemory));
  const auto gateway = lab_->gateway().start({hilgate_program(), "run", file});
  ASSERT_TRUE(gateway->wait_for_output("running", 30s)) << gateway->output();
  for (const char* robot : {"red", "blue"}) {
    lab_->gateway().run_ok(
        fmt::format("ip link add br-{0} type bridge && ip link set hg-{0} master br-{0} && "
                    "ip link set hgt-{0} master br-{0} up && ip link set br-{0} up",
                    robot));
  }
  const auto status = [&] { return control_request(control_socket(folder_.run()), {{"command", "status"}}); };
  EXPECT_THAT(status()["ports"][0]["mode"].get<std::string>(), HasSubstr("interrupts"));
  EXPECT_THAT(lab_->robot(0).run_ok("ping -c 5 -i 0.2 -W 10 " + NetLab::ipv4(1)), HasSubstr(" 0% packet loss"));
  const auto before = status()["loop"]["threads"][0];
  pass_windows(folder_.run(), 2000, 1ms);
  const auto after = status()["loop"]["threads"][0];
  // Ports without interrupts are looked at every 0.5 ms at the latest.
  const double slept = after["asleep_s"].get<double>() - before["asleep_s"].get<double>();
  const double sleeps = after["sleeps"].get<double>() - before["sleeps"].get<double>();
  EXPECT_GT(slept / sleeps, 0.002) << sleeps << " sleeps in " << slept << " s";
  gateway->signal(SIGTERM);
  EXPECT_EQ(gateway->wait(20s), 0) << gateway->output();
}

// A tap that is set down is a cable that is pulled: status says so, and frames to it are dropped as such.
TEST_F(Dpdk, ADeviceWithoutACarrierIsSaidToHaveNone) {
  const std::string file = folder_.write(
      fmt::format("ports:\n"
                  "  red: {{driver: dpdk, device: net_tap0, device_arguments: iface=hgt-red}}\n"
                  "  blue: {{driver: dpdk, device: net_af_packet1, device_arguments: \"{}\"}}\n"
                  "robots:\n"
                  "  red: {{port: red, mac: \"{}\", ip: {}}}\n"
                  "  blue: {{port: blue, mac: \"{}\", ip: {}}}\n{}",
                  packet("blue"), NetLab::mac(0), NetLab::ipv4(0), NetLab::mac(1), NetLab::ipv4(1), kMemory));
  const auto gateway = lab_->gateway().start({hilgate_program(), "run", file});
  ASSERT_TRUE(gateway->wait_for_output("running", 30s)) << gateway->output();
  const auto status = [&] { return control_request(control_socket(folder_.run()), {{"command", "status"}}); };
  const auto state_is = [&](const char* state) {
    const auto is = [state](const nlohmann::ordered_json& now) { return now["ports"][0]["state"] == state; };
    return is(status_when(folder_.run(), is, 20s));
  };
  ASSERT_TRUE(state_is("up")) << status()["ports"][0].dump();
  lab_->gateway().run_ok("ip link set hgt-red down");
  ASSERT_TRUE(state_is("no carrier")) << status()["ports"][0].dump();
  EXPECT_TRUE(status()["robots"][0]["unplugged"].get<bool>());
  EXPECT_NE(lab_->robot(1).run("ping -c 1 -W 1 " + NetLab::ipv4(0)).status, 0);
  EXPECT_GT(status()["totals"]["dropped"].value("unplugged", 0), 0);
  lab_->gateway().run_ok("ip link set hgt-red up");
  EXPECT_TRUE(state_is("up")) << gateway->output();
  gateway->signal(SIGTERM);
  EXPECT_EQ(gateway->wait(20s), 0) << gateway->output();
}

// net_pcap hands over the kernel's stamps: what arrives while the gateway stands still was not later for that. Drivers
// of DPDK's virtual devices offer no launch time, whatever the configuration wants.
TEST_F(Dpdk, ArrivalsAreStampedByTheDeviceWhereItCanAndReleasesTimedByTheLoop) {
  const auto gateway =
      lab_->gateway().start({hilgate_program(), "run",
                             file("net_pcap0", ", launch_time: on", "links: [{from: red, to: blue, delay: 400ms}]\n")});
  ASSERT_TRUE(gateway->wait_for_output("running", 30s)) << gateway->output();
  const auto status = [&] { return control_request(control_socket(folder_.run()), {{"command", "status"}}); };
  const auto now = status();
  const auto& by_device = now["ports"][0]["arrival_timestamps"];
  EXPECT_EQ(by_device["source"], "kernel");
  EXPECT_EQ(by_device["clock"], "the kernel, in us");
  EXPECT_GT(by_device["margin_us"], 1.0) << "the timestamps' resolution at least";
  const auto& by_loop = now["ports"][1]["arrival_timestamps"];
  EXPECT_EQ(by_loop["source"], "loop");
  EXPECT_THAT(by_loop["problem"].get<std::string>(), HasSubstr("has no receive timestamps"));
  for (const auto& port : now["ports"]) {
    EXPECT_EQ(port["release_timestamps"]["source"], "none");
    EXPECT_EQ(port["release_timestamps"]["send_on_timestamp"], "none");
    EXPECT_EQ(port["launch_time"]["used"], false);
    EXPECT_EQ(port["launch_time"]["lead_us"].get<double>(), 0);
    EXPECT_EQ(port["launch_time"]["unmeasured"], "");
    EXPECT_EQ(port["release_times"], "the packet loop");
  }
  EXPECT_EQ(now["ports"][0]["launch_time"]["problem"], "not offered by the driver net_pcap");
  EXPECT_EQ(now["ports"][1]["launch_time"]["problem"], "not offered by the driver net_af_packet");
  lab_->robot(0).run_ok("ping -c 1 -W 10 " + NetLab::ipv4(1));  // addresses are known from here on
  gateway->signal(SIGSTOP);
  const auto ping = lab_->robot(0).start({"ping", "-c", "1", "-W", "10", NetLab::ipv4(1)});
  std::this_thread::sleep_for(kStandsStill);
  gateway->signal(SIGCONT);
  ASSERT_EQ(ping->wait(20s), 0) << ping->output();
  // It was due while the gateway stood still. Stamped when it was polled, it would have been due later.
  EXPECT_GE(status()["loop"]["release_error_max_us"].get<double>(), 100e3);
  gateway->signal(SIGTERM);
  EXPECT_EQ(gateway->wait(20s), 0) << gateway->output();
}

TEST_F(Dpdk, DevicesThatCannotBeUsedAreNamed) {
  const Finished absent = run(file("net_nonsense0", "", ""));
  EXPECT_EQ(absent.status, 1);
  EXPECT_THAT(absent.output, HasSubstr("dpdk: cannot start"));
  const Finished queues = run(file("net_af_packet0", ", queues: 2", ""));
  EXPECT_EQ(queues.status, 1);
  EXPECT_THAT(queues.output, HasSubstr("port red: device net_af_packet0 supports 1 receive queues, not 2"));
}

}  // namespace
}  // namespace hilgate::test
