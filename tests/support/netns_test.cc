// SPDX-License-Identifier: Apache-2.0
#include "tests/support/netns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/net_lab.h"

namespace hilgate::test {
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class NetNsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_make_namespaces()) {
      GTEST_SKIP() << "needs root";
    }
  }
};

TEST(Process, GivesStatusAndOutput) {
  const Finished finished = run({"sh", "-c", "echo said; echo loud >&2; exit 3"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.output, "said\nloud\n");
}

TEST(Process, FailureNamesTheCommand) {
  try {
    run_ok({"sh", "-c", "echo why; false"});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("sh -c echo why; false"));
    EXPECT_THAT(error.what(), HasSubstr("status 1"));
  }
}

TEST(Process, IsEndedByItsDestructor) {
  pid_t pid = 0;
  {
    Process sleeper({"sh", "-c", "echo ready; exec sleep 60"});
    pid = sleeper.pid();
    EXPECT_TRUE(sleeper.wait_for_output("ready", milliseconds{5000}));
    EXPECT_FALSE(sleeper.wait(milliseconds{0}));
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(Process, KilledShowsTheShellsStatus) {
  Process sleeper({"sleep", "60"});
  sleeper.signal(SIGKILL);
  EXPECT_EQ(sleeper.wait(milliseconds{5000}), 128 + SIGKILL);
}

TEST_F(NetNsTest, ExistsAsLongAsItsObject) {
  std::string path;
  {
    NetNs made("self");
    path = "/run/netns/" + made.name();
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(NetNsTest, SocketOfADeadProcessIsRemoved) {
  const std::string stale = "hgt-self-4194303-1";  // above any pid_max that is in use here
  if (!std::filesystem::exists("/run/netns/" + stale)) {
    run_ok({"ip", "netns", "add", stale});
  }
  // A process of its own, for the cleaning happens once in each.
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  run_ok({self, "--gtest_filter=NetNsTest.ExistsAsLongAsItsObject"});
  EXPECT_FALSE(std::filesystem::exists("/run/netns/" + stale));
}

TEST_F(NetNsTest, EnteringConcernsSocketsOfThisThread) {
  NetNs one("self");
  NetNs other("self");
  VethPair pair({&one, "left"}, {&other, "right"});
  EXPECT_EQ(::if_nametoindex("left"), 0U);
  {
    const InNetNs here = one.enter();
    EXPECT_NE(::if_nametoindex("left"), 0U);
    EXPECT_EQ(::if_nametoindex("right"), 0U);
  }
  EXPECT_EQ(::if_nametoindex("left"), 0U);
}

TEST_F(NetNsTest, OffloadsAreOffByDefault) {
  NetNs one("self");
  NetNs other("self");
  VethPair plain({&one, "plain"}, {&other, "plain"});
  EXPECT_THAT(offloads_on(one, "plain"), IsEmpty());
  EXPECT_THAT(offloads_on(other, "plain"), IsEmpty());
  VethPair kernel({&one, "kernel"}, {&other, "kernel"}, {.offloads = true});
  EXPECT_THAT(offloads_on(one, "kernel"), Contains("tx-checksumming"));
  EXPECT_THAT(offloads_on(one, "kernel"), Contains("tx-vlan-offload"));
}

TEST_F(NetNsTest, RobotsReachEachOtherThroughABridgeInTheGateway) {
  NetLab lab("self", {"red", "blue"}, {.mtu = 9000});
  lab.gateway().run_ok(
      "ip link add br0 mtu 9000 type bridge && ip link set br0 up && ip link set hg-red master br0 "
      "&& ip link set hg-blue master br0");
  lab.robot(0).run_ok("ping -c 1 -W 2 -M do -s 8972 " + NetLab::ipv4(1));
  lab.robot(0).run_ok("ping -c 1 -W 2 " + NetLab::ipv6(1));
  EXPECT_THAT(lab.robot(0).run_ok("ip neigh"), HasSubstr(NetLab::mac(1)));
}

}  // namespace
}  // namespace hilgate::test
