// SPDX-License-Identifier: Apache-2.0
// What an interface is called by others: its own addresses, whatever else there is on the machine.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "tests/support/netns.h"
#include "xdp/interface.h"

namespace hilgate::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::array<std::uint8_t, 16> ip(const std::string& text) {
  std::array<std::uint8_t, 16> bytes{};
  EXPECT_EQ(inet_pton(AF_INET6, text.c_str(), bytes.data()), 1) << text;
  return bytes;
}

class InterfaceNamesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_make_namespaces()) {
      GTEST_SKIP() << "needs root";
    }
    host_ = std::make_unique<NetNs>("names");
    for (const char* interface : {"one", "two"}) {
      host_->run_ok(std::string("ip link add ") + interface + " type veth peer name " + interface + "-far");
    }
  }
  [[nodiscard]] InterfaceNames names(const std::string& interface) const {
    const InNetNs here = host_->enter();
    return names_of_interface(interface);
  }

  std::unique_ptr<NetNs> host_;
};

TEST_F(InterfaceNamesTest, AreItsOwnAddresses) {
  host_->run_ok("ip link set one address 02:00:00:00:00:07");
  host_->run_ok("ip addr add 10.1.0.1/24 dev one");
  host_->run_ok("ip addr add 10.1.0.2/24 label one:2 dev one");
  host_->run_ok("ip addr add fd00::1/64 nodad dev one");
  host_->run_ok("ip addr add 10.2.0.1/24 dev two");
  host_->run_ok("ip addr add fd00::2/64 nodad dev two");
  const InterfaceNames one = names("one");
  EXPECT_THAT(one.mac, ElementsAre(2, 0, 0, 0, 0, 7));
  EXPECT_THAT(one.ips, UnorderedElementsAre(ip("::ffff:10.1.0.1"), ip("::ffff:10.1.0.2"), ip("fd00::1")));
  EXPECT_THAT(names("two").ips, UnorderedElementsAre(ip("::ffff:10.2.0.1"), ip("fd00::2")));
}

TEST_F(InterfaceNamesTest, OfALineToAPeerAreNotThePeers) {
  host_->run_ok("ip addr add 10.1.0.1 peer 10.1.0.9 dev one");
  host_->run_ok("ip addr add fd00::1 peer fd00::9 nodad dev one");
  EXPECT_THAT(names("one").ips, UnorderedElementsAre(ip("::ffff:10.1.0.1"), ip("fd00::1")));
}

TEST_F(InterfaceNamesTest, OfMoreAddressesThanAMessageHoldsAreAll) {
  constexpr int kAddresses = 600;
  std::string batch;
  for (int i = 0; i < kAddresses; ++i) {
    batch += "addr add 10.1." + std::to_string(i / 200) + "." + std::to_string(i % 200 + 1) + "/16 dev one\n";
  }
  host_->run_ok("ip -batch - <<'END'\n" + batch + "END");
  EXPECT_EQ(names("one").ips.size(), kAddresses);
}

TEST_F(InterfaceNamesTest, OfNoInterfaceAreEmpty) {
  host_->run_ok("ip addr add 10.1.0.1/24 dev one");
  EXPECT_THAT(names("three").ips, IsEmpty());
  EXPECT_THAT(names("a-name-that-is-too-long").ips, IsEmpty());
  EXPECT_THAT(names("two").ips, IsEmpty());
}

}  // namespace
}  // namespace hilgate::test
