// SPDX-License-Identifier: Apache-2.0
#include "path/addresses/directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

// Robots 0 and 1 on ports of their own, 2 and 3 behind port 2, 4 without MACs on port 3, 5 the same on port 4.
std::vector<RobotEntry> lab() {
  return {{PortSlot{0}, {mac_of(1), mac_of(101)}, {ipv4_of(1), ipv6_of(1)}},
          {PortSlot{1}, {mac_of(2)}, {ipv4_of(2)}},
          {PortSlot{2}, {mac_of(3)}, {ipv4_of(3)}},
          {PortSlot{2}, {mac_of(4)}, {}},
          {PortSlot{3}, {}, {ipv4_of(5), ipv6_of(5)}},
          {PortSlot{4}, {}, {}}};
}

class DirectoryTest : public testing::Test {
 protected:
  std::variant<RobotSlot, DropReason> sender(std::uint32_t port, MacAddress source) {
    return directory_.sender(PortSlot{port}, {.destination = kBroadcast, .source = source});
  }
  std::vector<std::uint32_t> receivers(std::uint32_t from, const Bytes& frame) {
    std::vector<std::uint32_t> result;
    for (const RobotSlot robot : directory_.receivers(RobotSlot{from}, frame, parse_ethernet(frame).value())) {
      result.push_back(robot.value());
    }
    return result;
  }
  static Bytes frame_to(MacAddress destination, const std::string& ip = "10.77.9.9") {
    const bool v6 = ip.find(':') != std::string::npos;
    return ip_frame({.destination = destination, .source = mac_of(1), .tags = {}},
                    {.source = v6 ? "fd77::1" : "10.77.0.1", .destination = ip}, 17, udp(payload(20)));
  }

  Directory directory_{lab()};
};

using Answer = std::variant<RobotSlot, DropReason>;
using Robots = std::vector<std::uint32_t>;

TEST_F(DirectoryTest, RadiosOfOneBodyAreNoReceiversOfEachOther) {
  std::vector<RobotEntry> robots = lab();
  robots[0].body = 1;
  robots[2].body = 1;
  robots[3].body = 2;
  robots[4].body = 2;
  directory_ = Directory(robots);
  EXPECT_EQ(receivers(0, frame_to(mac_of(3))), Robots());
  EXPECT_EQ(receivers(0, frame_to(kBroadcast)), (Robots{1, 3, 4, 5}));
  EXPECT_EQ(receivers(4, frame_to(mac_of(4))), Robots());
  EXPECT_EQ(receivers(1, frame_to(mac_of(3))), Robots{2});
  EXPECT_FALSE(directory_.pass(RobotSlot{2}, RobotSlot{0}));
  EXPECT_TRUE(directory_.pass(RobotSlot{2}, RobotSlot{1}));
}

TEST_F(DirectoryTest, KnowsSendersByEachOfTheirMacs) {
  EXPECT_EQ(sender(0, mac_of(1)), Answer(RobotSlot{0}));
  EXPECT_EQ(sender(0, mac_of(101)), Answer(RobotSlot{0}));
  EXPECT_EQ(sender(2, mac_of(4)), Answer(RobotSlot{3}));
}

TEST_F(DirectoryTest, UnknownAndSpoofedSendersAreReported) {
  EXPECT_EQ(sender(0, mac_of(77)), Answer(DropReason::kUnknownSender));
  EXPECT_EQ(sender(1, mac_of(1)), Answer(DropReason::kSpoofedSender));
  EXPECT_EQ(sender(3, mac_of(1)), Answer(DropReason::kSpoofedSender));  // an open port does not help
}

TEST_F(DirectoryTest, RobotWithoutMacsIsAnySenderOnItsPort) {
  EXPECT_EQ(sender(3, mac_of(50)), Answer(RobotSlot{4}));
  EXPECT_EQ(sender(3, mac_of(51)), Answer(RobotSlot{4}));
  EXPECT_EQ(receivers(0, frame_to(mac_of(50))), Robots{4});
  EXPECT_EQ(receivers(0, frame_to(mac_of(51))), Robots{4});
}

TEST_F(DirectoryTest, LearnedMacMovesToItsNewSender) {
  sender(3, mac_of(50));
  EXPECT_FALSE(directory_.take_move());
  EXPECT_EQ(sender(4, mac_of(50)), Answer(RobotSlot{5}));
  EXPECT_TRUE(directory_.take_move());
  EXPECT_EQ(receivers(0, frame_to(mac_of(50))), Robots{5});
  sender(4, mac_of(50));
  EXPECT_FALSE(directory_.take_move()) << "it is there already";
  sender(3, mac_of(50));
  EXPECT_TRUE(directory_.take_move());
  EXPECT_EQ(receivers(0, frame_to(mac_of(50))), Robots{4}) << "and back";
}

TEST_F(DirectoryTest, AConfiguredMacDoesNotMove) {
  EXPECT_EQ(sender(3, mac_of(2)), Answer(DropReason::kSpoofedSender));
  EXPECT_FALSE(directory_.take_move());
  EXPECT_EQ(receivers(0, frame_to(mac_of(2))), Robots{1});
}

TEST_F(DirectoryTest, RobotWithAMovedAddressIsReachedAtAnotherOfItsOwn) {
  sender(3, mac_of(50));
  sender(3, mac_of(51));
  sender(4, mac_of(51));
  EXPECT_EQ(directory_.mac_of(RobotSlot{4}), mac_of(50));
  sender(4, mac_of(50));
  EXPECT_EQ(directory_.mac_of(RobotSlot{4}), std::nullopt);
  EXPECT_EQ(directory_.mac_of(RobotSlot{5}), mac_of(50));
}

// In every order, each robot's addresses are those that it has sent from last of all.
TEST_F(DirectoryTest, ManyMovesLeaveEachAddressAtItsLastSender) {
  std::vector<std::uint32_t> at(40, 99);
  std::uint32_t state = 1;
  for (int turn = 0; turn < 4000; ++turn) {
    state = state * 1'664'525U + 1'013'904'223U;
    const std::uint32_t mac = (state >> 8) % 40;
    const std::uint32_t port = 3 + (state >> 20) % 2;
    sender(port, mac_of(200 + mac));
    at[mac] = port + 1;  // robot 4 is on port 3
    for (std::uint32_t any = 0; any < 40; ++any) {
      ASSERT_EQ(receivers(0, frame_to(mac_of(200 + any))), at[any] == 99 ? Robots{} : Robots{at[any]}) << turn;
    }
  }
}

TEST_F(DirectoryTest, ANewDirectoryHasWhereAddressesWere) {
  sender(3, mac_of(50));
  sender(4, mac_of(50));
  Directory next(lab());
  next.learn_from(directory_);
  const Bytes frame = frame_to(mac_of(50));
  EXPECT_THAT(next.receivers(RobotSlot{0}, frame, parse_ethernet(frame).value()), testing::ElementsAre(RobotSlot{5}));
  EXPECT_FALSE(next.take_move());
}

// Robots 0 and 1 have a virtual router's address (RFC 5798), 2 is a host.
std::vector<RobotEntry> routers() {
  const MacAddress virtual_mac = mac_of(200);
  return {{.port = PortSlot{0}, .macs = {mac_of(1), virtual_mac}, .ips = {}, .shared = {virtual_mac}},
          {.port = PortSlot{1}, .macs = {mac_of(2), virtual_mac}, .ips = {}, .shared = {virtual_mac}},
          {.port = PortSlot{2}, .macs = {mac_of(3)}, .ips = {}}};
}

class SharedMacTest : public DirectoryTest {
 protected:
  SharedMacTest() { directory_ = Directory(routers()); }
};

TEST_F(SharedMacTest, ReachesAllUntilOneHasSentFromItAndThenThatOne) {
  EXPECT_EQ(receivers(2, frame_to(mac_of(200))), (Robots{0, 1}));
  EXPECT_FALSE(directory_.knows(mac_of(200)));
  EXPECT_EQ(sender(0, mac_of(200)), Answer(RobotSlot{0}));
  EXPECT_TRUE(directory_.take_move());
  EXPECT_TRUE(directory_.knows(mac_of(200)));
  EXPECT_EQ(receivers(2, frame_to(mac_of(200))), Robots{0});
  EXPECT_EQ(sender(1, mac_of(200)), Answer(RobotSlot{1}));
  EXPECT_TRUE(directory_.take_move());
  EXPECT_EQ(receivers(2, frame_to(mac_of(200))), Robots{1});
  EXPECT_EQ(receivers(2, frame_to(mac_of(1))), Robots{0}) << "its own address stays";
}

TEST_F(SharedMacTest, IsSharedByItsMembersAlone) {
  sender(0, mac_of(200));
  EXPECT_EQ(sender(2, mac_of(200)), Answer(DropReason::kSpoofedSender));
  EXPECT_EQ(receivers(2, frame_to(mac_of(200))), Robots{0});
  EXPECT_EQ(sender(1, mac_of(1)), Answer(DropReason::kSpoofedSender)) << "an address that is not shared";
}

TEST_F(SharedMacTest, StaysWhereItIsOverAChangeAsLongAsThatRobotSharesIt) {
  sender(1, mac_of(200));
  const auto reached = [this](std::span<const RobotEntry> robots) {
    Directory next(robots);
    next.learn_from(directory_);
    const Bytes frame = frame_to(mac_of(200));
    const auto to = next.receivers(RobotSlot{2}, frame, parse_ethernet(frame).value());
    return std::vector<RobotSlot>(to.begin(), to.end());
  };
  EXPECT_THAT(reached(routers()), testing::ElementsAre(RobotSlot{1}));
  std::vector<RobotEntry> changed = routers();
  changed[1].macs.pop_back();
  changed[1].shared.clear();
  EXPECT_THAT(reached(changed), testing::ElementsAre(RobotSlot{0}));
}

TEST_F(DirectoryTest, FullTableOfLearnedMacsKeepsTheRobotSending) {
  for (unsigned i = 0; i < 3000; ++i) {
    ASSERT_EQ(sender(3, MacAddress{0x02AA'0000'0000ULL + i}), Answer(RobotSlot{4}));
  }
  EXPECT_EQ(sender(0, mac_of(1)), Answer(RobotSlot{0}));
  EXPECT_EQ(receivers(0, frame_to(MacAddress{0x02AA'0000'0000ULL})), Robots{4});
}

TEST(DirectoryLines, LinesReachLinesAndNetworksReachNetworks) {
  Directory directory(std::vector<RobotEntry>{{.port = PortSlot{0}, .macs = {mac_of(1)}, .ips = {}},
                                              {.port = PortSlot{1}, .macs = {mac_of(2)}, .ips = {}},
                                              {.port = PortSlot{2}, .macs = {mac_of(3)}, .ips = {}, .line = true},
                                              {.port = PortSlot{3}, .macs = {mac_of(4)}, .ips = {}, .line = true}});
  const auto heard = [&directory](std::uint32_t from, MacAddress to) {
    Robots robots;
    for (const RobotSlot robot : directory.receivers(RobotSlot{from}, {}, {.destination = to, .source = {}})) {
      robots.push_back(robot.value());
    }
    return robots;
  };
  EXPECT_EQ(heard(0, kBroadcast), Robots{1});
  EXPECT_EQ(heard(2, kBroadcast), Robots{3});
  EXPECT_EQ(heard(0, mac_of(2)), Robots{1});
  EXPECT_EQ(heard(0, mac_of(3)), Robots{}) << "nobody on a network may speak into a line";
  EXPECT_EQ(heard(3, mac_of(1)), Robots{});
  EXPECT_TRUE(directory.on_line(RobotSlot{2}));
  EXPECT_FALSE(directory.on_line(RobotSlot{1}));
  EXPECT_EQ(directory.at_line(PortSlot{3}), OptionalIndex<RobotSlot>(RobotSlot{3}));
  EXPECT_FALSE(directory.at_line(PortSlot{0}));
  EXPECT_FALSE(directory.at_line(PortSlot{9}));
}

TEST_F(DirectoryTest, UnicastReachesItsRobot) {
  EXPECT_EQ(receivers(0, frame_to(mac_of(2))), Robots{1});
  EXPECT_EQ(receivers(1, frame_to(mac_of(101))), Robots{0});
  EXPECT_EQ(receivers(2, frame_to(mac_of(1))), Robots{0});
}

TEST_F(DirectoryTest, NoRobotIsReachedThroughTheOwnPort) {
  EXPECT_EQ(receivers(2, frame_to(mac_of(4))), Robots{});
  EXPECT_EQ(receivers(0, frame_to(mac_of(1))), Robots{});
}

TEST_F(DirectoryTest, ASilentRobotWithoutMacsIsFoundByItsIp) {
  EXPECT_EQ(receivers(0, frame_to(mac_of(99), "10.77.0.5")), Robots{4});
  EXPECT_EQ(receivers(0, frame_to(mac_of(99), "fd77::5")), Robots{4});
  EXPECT_EQ(receivers(0, frame_to(mac_of(99), "10.77.0.99")), Robots{});
  EXPECT_EQ(receivers(0, ethernet({.destination = mac_of(99), .source = mac_of(1), .tags = {}}, 0x88F7, payload(46))),
            Robots{});
}

TEST_F(DirectoryTest, GroupsGoToAllOtherPorts) {
  const MacAddress multicast{0x0100'5E00'00FBULL};
  const MacAddress multicast6{0x3333'0000'0001ULL};
  EXPECT_EQ(receivers(0, frame_to(kBroadcast)), (Robots{1, 2, 3, 4, 5}));
  EXPECT_EQ(receivers(2, frame_to(multicast)), (Robots{0, 1, 4, 5}));
  EXPECT_EQ(receivers(5, frame_to(multicast6)), (Robots{0, 1, 2, 3, 4}));
}

TEST(IsolatedDirectory, RobotsOfAnIsolatedPortReachEachOtherAndNotThemselves) {
  std::vector<RobotEntry> robots = lab();
  robots[2].isolated = robots[3].isolated = true;
  Directory directory(robots);
  const auto receivers = [&directory](std::uint32_t from, MacAddress destination) {
    const Bytes frame = ethernet({.destination = destination, .source = mac_of(1), .tags = {}}, 0x88F7, payload(46));
    Robots result;
    for (const RobotSlot robot : directory.receivers(RobotSlot{from}, frame, parse_ethernet(frame).value())) {
      result.push_back(robot.value());
    }
    return result;
  };
  EXPECT_EQ(receivers(2, mac_of(4)), Robots{3});
  EXPECT_EQ(receivers(2, mac_of(3)), Robots{});
  EXPECT_EQ(receivers(2, kBroadcast), (Robots{0, 1, 3, 4, 5}));
  EXPECT_EQ(receivers(0, kBroadcast), (Robots{1, 2, 3, 4, 5}));
}

TEST_F(DirectoryTest, ArpReachesAll) {
  EXPECT_EQ(receivers(0, arp_request({.destination = kBroadcast, .source = mac_of(1), .tags = {}}, 1, 2)),
            (Robots{1, 2, 3, 4, 5}));
}

TEST(FlatTable, KeepsItsEntriesAndRefusesWhenFull) {
  FlatTable<std::uint32_t, std::uint32_t> table(100);
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_TRUE(table.insert(i * 0x1'0000, i));  // keys that differ in high bits only
  }
  EXPECT_FALSE(table.insert(7, 7));
  EXPECT_TRUE(table.insert(0, 99));  // known: keeps its value
  for (std::uint32_t i = 0; i < 100; ++i) {
    ASSERT_NE(table.find(i * 0x1'0000), nullptr);
    EXPECT_EQ(*table.find(i * 0x1'0000), i);
  }
  EXPECT_EQ(table.find(7), nullptr);
  EXPECT_EQ(table.size(), 100U);
}

TEST(FlatTable, FindsTheOthersAfterAnyErasure) {
  FlatTable<std::uint32_t, std::uint32_t> table(64);
  std::vector<bool> there(200);
  std::uint32_t state = 1;
  std::size_t size = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    state = state * 1'664'525U + 1'013'904'223U;
    const std::uint32_t key = (state >> 8) % 200;
    if (there[key]) {
      table.erase(key);
      there[key] = false;
      --size;
    } else if (table.insert(key, 2 * key)) {
      there[key] = true;
      ++size;
    }
    ASSERT_EQ(table.size(), size);
    for (std::uint32_t any = 0; any < 200; any += 7) {
      ASSERT_EQ(table.find(any) != nullptr, there[any]) << any << " in turn " << turn;
    }
  }
}

TEST(FlatTable, OfNothingFindsNothing) {
  FlatTable<std::uint32_t, int> table;
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_FALSE(table.insert(0, 1));
}

TEST(MacAddress, TextAndWireAgree) {
  const auto mac = MacAddress::parse("02:68:67:00:00:0a");
  ASSERT_TRUE(mac);
  EXPECT_EQ(*mac, mac_of(10));
  EXPECT_EQ(mac->text(), "02:68:67:00:00:0a");
  const Bytes frame = ethernet({.destination = *mac, .source = mac_of(1), .tags = {}}, 0, {});
  EXPECT_EQ(MacAddress::from_wire(frame.data()), *mac);
  EXPECT_FALSE(mac->is_group());
  EXPECT_TRUE(kBroadcast.is_group());
  for (const char* bad : {"", "02:68:67:00:00", "02-68-67-00-00-0a", "02:68:67:00:00:0g", "02:68:67:00:00:0a "}) {
    EXPECT_FALSE(MacAddress::parse(bad)) << bad;
  }
}

TEST(IpAddress, TextAndWireAgree) {
  EXPECT_EQ(ipv4_of(7).text(), "10.77.0.7");
  EXPECT_TRUE(ipv4_of(7).is_v4());
  EXPECT_EQ(ipv6_of(7).text(), "fd77::7");
  EXPECT_FALSE(ipv6_of(7).is_v4());
  EXPECT_EQ(IpAddress::parse("::ffff:10.77.0.7"), ipv4_of(7));
  for (const char* bad : {"", "10.77.0", "10.77.0.256", "fd77::1::2", "10.77.0.1/24"}) {
    EXPECT_FALSE(IpAddress::parse(bad)) << bad;
  }
  EXPECT_FALSE(IpAddress::parse(std::string_view("10.0.0.1\0.2", 11)));
}

TEST(IpAddress, ClassifiesGroupsAndUnspecified) {
  for (const char* group : {"224.0.0.1", "239.255.255.255", "ff02::1"}) {
    EXPECT_TRUE(IpAddress::parse(group)->is_multicast()) << group;
  }
  for (const char* host : {"10.0.0.224", "223.255.255.255", "240.0.0.1", "fe80::ff"}) {
    EXPECT_FALSE(IpAddress::parse(host)->is_multicast()) << host;
  }
  EXPECT_TRUE(IpAddress::parse("0.0.0.0")->is_unspecified());
  EXPECT_TRUE(IpAddress::parse("::")->is_unspecified());
  EXPECT_FALSE(IpAddress::parse("0.0.0.1")->is_unspecified());
}

}  // namespace
}  // namespace hilgate::test
