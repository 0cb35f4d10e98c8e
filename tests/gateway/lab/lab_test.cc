// SPDX-License-Identifier: Apache-2.0
// Labs in a namespace of their own, so that interface names of this machine do not matter. Run as root.
#include "gateway/lab/lab.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sstream>

#include "gateway/lab/lab_record.h"
#include "host/file_descriptor.h"
#include "host/netns.h"
#include "tests/support/netns.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

class Lab : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_make_namespaces()) {
      GTEST_SKIP() << "needs root";
    }
    gateway_.emplace("config");
    inside_.emplace(gateway_->name());
    plan_.name = "t" + std::to_string(getpid());
    plan_.robots = {robot("red", 1), robot("blue", 2)};
  }
  void TearDown() override {
    if (inside_) {
      lab_down(plan_);
    }
  }

  LabRobot robot(const std::string& name, int number) const {
    const std::string digit = std::to_string(number);
    return {name,
            "hgt-config-" + std::to_string(getpid()) + "-" + name,
            "hg-" + name,
            "02:68:67:00:00:0" + digit,
            {"10.77.0." + digit + "/24", "fd77::" + digit + "/64"},
            true};
  }
  [[nodiscard]] std::string in(const std::string& robot, const std::string& command) const {
    const auto& found = lab_robot(plan_, robot);
    return run_ok({"ip", "netns", "exec", found.netns, "sh", "-c", command});
  }
  /// Nothing of the lab is there.
  void expect_gone() const {
    for (const LabRobot& robot : plan_.robots) {
      EXPECT_FALSE(netns_exists(robot.netns));
      EXPECT_EQ(if_nametoindex(robot.port_interface.c_str()), 0u) << robot.port_interface;
    }
    EXPECT_FALSE(std::filesystem::exists(LabRecord::path_of(plan_.name)));
  }

  std::optional<NetNs> gateway_;
  std::optional<InNetNs> inside_;
  LabPlan plan_;
};

TEST_F(Lab, GivesRobotsTheirAddressesAndMtu) {
  plan_.mtu = 1400;
  lab_up(plan_);
  const std::string link = in("red", "ip -o link show dev eth0");
  EXPECT_THAT(link, HasSubstr("02:68:67:00:00:01"));
  EXPECT_THAT(link, HasSubstr("mtu 1400"));
  EXPECT_THAT(link, HasSubstr("qdisc pfifo"));
  EXPECT_THAT(link, HasSubstr("LOWER_UP"));
  EXPECT_THAT(link, HasSubstr("prog/xdp"));
  const std::string addresses = in("red", "ip -o address show dev eth0");
  EXPECT_THAT(addresses, HasSubstr("10.77.0.1/24"));
  EXPECT_THAT(addresses, HasSubstr("fd77::1/64"));
  EXPECT_THAT(addresses, Not(HasSubstr("tentative")));
  EXPECT_THAT(in("red", "ip route show 224.0.0.0/4"), HasSubstr("dev eth0"));
  EXPECT_THAT(in("red", "ip route get 255.255.255.255"), HasSubstr("broadcast 255.255.255.255 dev eth0"));
  EXPECT_THAT(run_ok({"ip", "-o", "address", "show", "dev", "hg-red"}), IsEmpty());  // no voice of its own
}

TEST_F(Lab, RadiosOfARobotAreInterfacesOfOneNamespace) {
  plan_.robots = {robot("red.wifi", 1), robot("red.sik", 2), robot("blue", 3)};
  plan_.robots[0].port_interface = "hg-red-wifi";
  plan_.robots[0].interface = "wifi";
  plan_.robots[1].port_interface = "hg-red-sik";
  plan_.robots[1].interface = "sik";
  plan_.robots[1].addresses = {"10.78.0.2/24"};
  plan_.robots[1].shares = plan_.robots[0].netns;
  lab_up(plan_);
  EXPECT_THAT(in("red", "ip -o address show dev wifi"), HasSubstr("10.77.0.1/24"));
  EXPECT_THAT(in("red", "ip -o address show dev sik"), HasSubstr("10.78.0.2/24"));
  EXPECT_THAT(in("red.sik", "ip -o link show dev wifi"), HasSubstr("LOWER_UP"));
  EXPECT_THAT(in("red", "ip route get 224.0.0.1"), HasSubstr("dev wifi"));
  const auto states = lab_state(plan_).value();
  for (const LabRobotState& state : states) {
    EXPECT_EQ(state.problem, "") << state.robot;
  }
  EXPECT_THAT(lab_up(plan_).made, IsEmpty());
  lab_down(plan_);
  expect_gone();
  lab_up(plan_);
  run_ok({"ip", "netns", "del", plan_.robots[0].netns});
  EXPECT_THAT(lab_state(plan_).value()[1].problem, HasSubstr("is another than"));
}

TEST_F(Lab, TakesJumboFrames) {
  plan_.mtu = 9000;
  lab_up(plan_);
  EXPECT_THAT(in("blue", "ip -o link show dev eth0"), HasSubstr("mtu 9000"));
}

/// "name: on" for every feature of ethtool -k that is on.
std::string features_on(const std::string& ethtool) {
  std::istringstream lines(ethtool);
  std::string on;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(": on") != std::string::npos) {
      on += line + "\n";
    }
  }
  return on;
}

TEST_F(Lab, TurnsOffloadsOffAtBothEnds) {
  lab_up(plan_);
  for (const std::string& all : {in("red", "ethtool -k eth0"), run_ok({"ethtool", "-k", "hg-red"})}) {
    EXPECT_THAT(all, HasSubstr("tx-checksumming: off"));
    const std::string on = features_on(all);
    for (const char* feature :
         {"checksum", "segmentation", "receive-offload", "gro", "gso", "vlan-offload", "hw-insert", "scatter-gather"}) {
      EXPECT_THAT(on, Not(HasSubstr(feature)));
    }
  }
}

/// A socket that sees every frame that arrives at an interface.
FileDescriptor listen_on(const std::string& interface) {
  FileDescriptor socket(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL)));
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex(interface.c_str()));
  EXPECT_EQ(bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  const timeval limit{5, 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  return socket;
}

std::uint32_t word_at(const std::uint8_t* bytes) {
  return static_cast<std::uint32_t>(bytes[0] << 8 | bytes[1]);
}

/// The one's complement sum of an IPv4 UDP packet with its pseudo header; 0xffff when its checksum is right (RFC 768).
std::uint32_t udp_sum(const std::uint8_t* ip) {
  const std::size_t header = (ip[0] & 0x0fU) * 4;
  const std::uint32_t length = word_at(ip + header + 4);
  std::uint32_t sum = IPPROTO_UDP + length;
  for (std::size_t i = 12; i < 20; i += 2) {
    sum += word_at(ip + i);
  }
  for (std::size_t i = 0; i < length; i += 2) {
    sum += i + 1 < length ? word_at(ip + header + i) : static_cast<std::uint32_t>(ip[header + i]) << 8;
  }
  while (sum > 0xffff) {
    sum = (sum & 0xffff) + (sum >> 16);
  }
  return sum;
}

TEST_F(Lab, SendsUdpWithItsChecksumOnTheWire) {
  lab_up(plan_);
  const FileDescriptor wire = listen_on("hg-red");
  {
    const NetnsScope red(plan_.robots[0].netns);
    run_ok({"ip", "neigh", "replace", "10.77.0.2", "lladdr", "02:68:67:00:00:02", "dev", "eth0"});
    const FileDescriptor sender(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(4000);
    inet_pton(AF_INET, "10.77.0.2", &to.sin_addr);
    const std::string text = "is my checksum there?";
    ASSERT_GT(sendto(sender.get(), text.data(), text.size(), 0, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  }
  std::array<std::uint8_t, 2048> frame{};
  for (;;) {
    const auto length = recv(wire.get(), frame.data(), frame.size(), 0);
    ASSERT_GT(length, 0) << "the packet never came";
    if (word_at(&frame[12]) == ETH_P_IP && frame[23] == IPPROTO_UDP) {
      break;
    }
  }
  EXPECT_NE(word_at(&frame[14 + 20 + 6]), 0u);
  EXPECT_EQ(udp_sum(&frame[14]), 0xffffu);
}

TEST_F(Lab, DownLeavesNothing) {
  lab_up(plan_);
  EXPECT_TRUE(lab_down(plan_));
  expect_gone();
  EXPECT_FALSE(lab_down(plan_));
}

TEST_F(Lab, UpTwiceMakesNothingAndHarmsNothing) {
  EXPECT_EQ(lab_up(plan_).made.size(), 2U);
  const LabUp again = lab_up(plan_);
  EXPECT_THAT(again.made, IsEmpty());
  EXPECT_THAT(again.completed, IsEmpty());
  EXPECT_THAT(in("red", "ip -o link show dev eth0"), HasSubstr("LOWER_UP"));
}

TEST_F(Lab, TakesEverythingBackWhenAnInterfaceNameIsTaken) {
  run_ok({"ip", "link", "add", "hg-blue", "type", "veth"});
  EXPECT_THAT(message_of([&] { lab_up(plan_); }),
              HasSubstr("interface 'hg-blue' for robot 'blue' already exists and does not belong to this lab"));
  EXPECT_NE(if_nametoindex("hg-blue"), 0u);  // not ours, so still there
  run_ok({"ip", "link", "del", "hg-blue"});
  expect_gone();
}

TEST_F(Lab, LeavesNamespacesOfOthersAlone) {
  const std::string& theirs = plan_.robots[1].netns;
  run_ok({"ip", "netns", "add", theirs});
  EXPECT_THAT(message_of([&] { lab_up(plan_); }), HasSubstr("network namespace '" + theirs + "' already exists"));
  EXPECT_TRUE(netns_exists(theirs));
  run_ok({"ip", "netns", "del", theirs});
  expect_gone();
}

TEST_F(Lab, DownKeepsAForeignNamespace) {
  lab_up(plan_);
  const std::string& name = plan_.robots[0].netns;
  run_ok({"ip", "netns", "del", name});
  run_ok({"ip", "netns", "add", name});
  EXPECT_TRUE(lab_down(plan_));
  EXPECT_TRUE(netns_exists(name));
  run_ok({"ip", "netns", "del", name});
}

TEST_F(Lab, NoNamespaceIsTakenForAnEarlierOneOfItsName) {
  const std::string& name = plan_.robots[0].netns;
  std::set<std::uint64_t> cookies;
  constexpr std::size_t kTimes = 40;  // the kernel gives some of them the same inode
  for (std::size_t n = 0; n < kTimes; ++n) {
    run_ok({"ip", "netns", "add", name});
    cookies.insert(netns_cookie(name));
    run_ok({"ip", "netns", "del", name});
  }
  EXPECT_EQ(cookies.size(), kTimes);
  EXPECT_EQ(netns_cookie(name), 0U) << "there is none any more";
}

TEST_F(Lab, DownRemovesRemainsOfAnInterruptedUp) {
  // What is there when `up` died right after making its first namespace.
  LabRecord record = LabRecord::create(plan_.name);
  record.add({.name = plan_.robots[0].netns, .interface = plan_.robots[0].interface});
  run_ok({"ip", "netns", "add", plan_.robots[0].netns});
  EXPECT_TRUE(lab_down(plan_));
  expect_gone();
}

TEST_F(Lab, UpCompletesAnInterruptedUp) {
  LabRecord record = LabRecord::create(plan_.name);
  record.add({.name = plan_.robots[0].netns, .interface = plan_.robots[0].interface});
  run_ok({"ip", "netns", "add", plan_.robots[0].netns});
  EXPECT_EQ(lab_up(plan_).made.size(), 2U);
  EXPECT_THAT(in("red", "ip -o link show dev eth0"), HasSubstr("LOWER_UP"));
}

TEST_F(Lab, UpMakesAPairThatIsGoneInTheNamespaceThatIsThere) {
  lab_up(plan_);
  run_ok({"ip", "link", "del", "hg-red"});
  EXPECT_THAT(lab_up(plan_).completed, testing::ElementsAre("red"));
  EXPECT_THAT(in("red", "ip -o link show dev eth0"), HasSubstr("LOWER_UP"));
}

TEST_F(Lab, UpRefusesAForeignNamespace) {
  lab_up(plan_);
  const std::string& name = plan_.robots[0].netns;
  run_ok({"ip", "netns", "del", name});
  run_ok({"ip", "netns", "add", name});
  EXPECT_THAT(message_of([&] { lab_up(plan_); }), HasSubstr("is not the lab's any more"));
  run_ok({"ip", "netns", "del", name});
}

TEST_F(Lab, UpGivesRobotsOtherAddressesMacsAndMtus) {
  lab_up(plan_);
  plan_.mtu = 1300;
  EXPECT_THAT(in("blue", "ip neighbour add 10.77.0.7 lladdr 02:68:67:00:00:01 dev eth0 nud stale"), IsEmpty());
  plan_.robots[0].mac = "02:68:67:00:00:77";
  plan_.robots[0].addresses = {"10.77.0.7/24"};
  EXPECT_THAT(lab_up(plan_).completed, testing::ElementsAre("red", "blue"));
  EXPECT_THAT(in("red", "ip -o link show dev eth0"),
              testing::AllOf(HasSubstr("02:68:67:00:00:77"), HasSubstr("mtu 1300")));
  EXPECT_THAT(in("red", "ip -o address show dev eth0"),
              testing::AllOf(HasSubstr("10.77.0.7/24"), Not(HasSubstr("10.77.0.1/24")), Not(HasSubstr("fd77::1"))));
  EXPECT_THAT(in("red", "ip route"), HasSubstr("224.0.0.0/4"));
  EXPECT_THAT(in("blue", "ip neighbour show dev eth0"), Not(HasSubstr("10.77.0.7"))) << "as it was before";
  EXPECT_THAT(lab_up(plan_).completed, IsEmpty());
}

TEST_F(Lab, UpKeepsAddressesThatOthersHaveAdded) {
  lab_up(plan_);
  EXPECT_THAT(in("red", "ip address add 10.77.0.99/24 dev eth0"), IsEmpty());
  plan_.robots[0].addresses = {"10.77.0.1/16"};
  EXPECT_THAT(lab_up(plan_).completed, testing::ElementsAre("red"));
  EXPECT_THAT(in("red", "ip -o address show dev eth0"),
              testing::AllOf(HasSubstr("10.77.0.1/16"), HasSubstr("10.77.0.99/24"), Not(HasSubstr("10.77.0.1/24"))));
  plan_.robots[1].addresses = {"fd77::2/64"};
  lab_up(plan_);
  EXPECT_THAT(in("blue", "ip -o address show dev eth0"), Not(HasSubstr("10.77.0.2")));
  plan_.robots[1].addresses = {"10.77.0.2/24"};
  lab_up(plan_);
  EXPECT_THAT(in("blue", "ip route"), HasSubstr("224.0.0.0/4")) << "gone with the last address";
}

TEST_F(Lab, UpConnectsRobotsToOtherPorts) {
  lab_up(plan_);
  std::swap(plan_.robots[0].port_interface, plan_.robots[1].port_interface);
  EXPECT_THAT(lab_up(plan_).completed, testing::UnorderedElementsAre("red", "blue"));
  run_ok({"ip", "address", "add", "10.77.0.50/24", "dev", "hg-blue"});
  EXPECT_THAT(in("red", "ping -c 1 -W 5 10.77.0.50"), HasSubstr(" 0% packet loss"));
  plan_.robots[0].port_interface = "hg-pink";
  EXPECT_THAT(lab_up(plan_).completed, testing::ElementsAre("red"));
  EXPECT_EQ(if_nametoindex("hg-blue"), 0U);
  run_ok({"ip", "link", "add", "hg-dark", "type", "veth", "peer", "name", "hg-dim"});
  plan_.robots[0].port_interface = "hg-dark";
  EXPECT_THAT(message_of([&] { lab_up(plan_); }), HasSubstr("is connected to hg-pink, not to hg-dark"));
}

TEST_F(Lab, UpGivesTheInterfaceOfARenamedRobotToItsNewName) {
  lab_up(plan_);
  const LabPlan before = plan_;
  plan_.robots[1] = robot("lime", 2);
  plan_.robots[1].port_interface = before.robots[1].port_interface;
  const LabUp up = lab_up(plan_);
  EXPECT_THAT(up.made, testing::ElementsAre("lime"));
  EXPECT_THAT(up.left_over, testing::ElementsAre(before.robots[1].netns));
  EXPECT_THAT(lab_up(plan_).made, IsEmpty());
  lab_down(plan_);
  EXPECT_FALSE(netns_exists(before.robots[1].netns));
}

TEST_F(Lab, DownRemovesNamesThatLeadToNoNamespace) {
  lab_up(plan_);
  const std::string& name = plan_.robots[0].netns;
  run_ok({"umount", "/run/netns/" + name});  // as after a crash; the file stays
  EXPECT_TRUE(lab_down(plan_));
  EXPECT_FALSE(netns_exists(name));
}

TEST_F(Lab, RobotsReachEachOtherThroughABridge) {
  lab_up(plan_);
  run_ok({"ip", "link", "add", "name", "bridge0", "type", "bridge"});
  run_ok({"ip", "link", "set", "bridge0", "up"});
  run_ok({"ip", "link", "set", "hg-red", "master", "bridge0"});
  run_ok({"ip", "link", "set", "hg-blue", "master", "bridge0"});
  EXPECT_THAT(in("red", "ping -c 3 -i 0.05 -W 5 10.77.0.2"), HasSubstr(" 0% packet loss"));
  EXPECT_THAT(in("red", "ping -c 3 -i 0.05 -W 5 fd77::2"), HasSubstr(" 0% packet loss"));
}

TEST_F(Lab, ExecBeforeUpIsAnError) {
  EXPECT_THAT(message_of([&] { lab_exec(plan_, plan_.robots[0], {"true"}); }), HasSubstr("is not up"));
}

TEST(LabRecordFile, ThatIsNoRecordIsNamed) {
  const std::string lab = "garbled" + std::to_string(getpid());
  std::filesystem::create_directories("/run/hilgate");
  for (const char* text : {R"({"names)", R"({"namespaces": [{"name": "red", "cookie": 4e30}]})",
                           R"({"namespaces": [{"name": "red", "cookie": -1}]})",
                           R"({"namespaces": [{"name": "red", "cookie": 1, "link": 4294967296}]})"}) {
    std::ofstream(LabRecord::path_of(lab)) << text;
    const std::string message = message_of([&] { LabRecord::load(lab); });
    std::filesystem::remove(LabRecord::path_of(lab));
    EXPECT_THAT(message, HasSubstr("/run/hilgate/" + lab + ".lab.json is not a lab record")) << text;
  }
}

}  // namespace
}  // namespace hilgate::test
