// SPDX-License-Identifier: Apache-2.0
#include "gateway/lab/lab_robot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/process.h"
#include "tests/gateway/configuration/config_fixture.h"

namespace hilgate::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LabPlan, NamesNamespacesAfterRunAndRobot) {
  const LabPlan plan = plan_lab(read_yaml(good_yaml()));
  EXPECT_EQ(plan.name, "t");
  EXPECT_EQ(plan.mtu, 1400u);
  EXPECT_TRUE(plan.quiet);
  ASSERT_EQ(plan.robots.size(), 2u);
  EXPECT_EQ(plan.robots[0].netns, "hg-t-red");
  EXPECT_EQ(plan.robots[0].port_interface, "hg-a");
  EXPECT_EQ(plan.robots[0].mac, "02:00:00:00:00:01");
  EXPECT_THAT(plan.robots[0].addresses, ElementsAre("10.0.0.1/24", "fd00::1/64"));
  EXPECT_TRUE(plan.robots[0].ipv6);
  EXPECT_THAT(plan.robots[1].addresses, IsEmpty());
  EXPECT_FALSE(plan.robots[1].ipv6);
}

TEST(LabPlan, TakesPrefixLengthsFromTheFile) {
  const LabPlan plan = plan_lab(read_yaml(with_line(24, "lab: {prefix: {ipv4: 16, ipv6: 48}}")));
  EXPECT_THAT(plan.robots[0].addresses, ElementsAre("10.0.0.1/16", "fd00::1/48"));
}

TEST(LabPlan, LeavesAnOmittedMacToTheKernel) {
  EXPECT_EQ(plan_lab(read_yaml(with_line(14, ""))).robots[1].mac, "");
}

TEST(LabPlan, RadiosOfARobotAreInterfacesOfOneNamespace) {
  const std::string yaml =
      "name: t\n"
      "ports: {p1: {interface: hg-a}, p2: {interface: hg-b}, p3: {interface: hg-c}}\n"
      "robots:\n"
      "  red: {radios: {wifi: {port: p1, ip: 10.0.0.1}, sik: {port: p3, ip: 10.1.0.1}}}\n"
      "  blue: {port: p2, ip: 10.0.0.2}\n"
      "netsim: {type: wire}\n"
      "lab: {}\n";
  const LabPlan plan = plan_lab(read_yaml(yaml));
  ASSERT_EQ(plan.robots.size(), 3U);
  EXPECT_EQ(plan.robots[0].robot, "red.wifi");
  EXPECT_EQ(plan.robots[0].netns, "hg-t-red.wifi");
  EXPECT_EQ(plan.robots[0].interface, "wifi");
  EXPECT_EQ(plan.robots[0].shares, "");
  EXPECT_EQ(plan.robots[1].netns, "hg-t-red.sik");
  EXPECT_EQ(plan.robots[1].interface, "sik");
  EXPECT_EQ(plan.robots[1].shares, "hg-t-red.wifi");
  EXPECT_EQ(plan.robots[2].interface, "eth0");
  EXPECT_EQ(plan.robots[2].shares, "");
  EXPECT_EQ(lab_robot(plan, "red").robot, "red.wifi");
  EXPECT_EQ(lab_robot(plan, "red.sik").robot, "red.sik");
  std::string long_name = yaml;
  long_name.replace(long_name.find("sik:"), 4, "a-radio-for-telemetry:");
  EXPECT_THAT(
      faults_in(long_name),
      ElementsAre("f.yaml:7: lab: radio 'a-radio-for-telemetry' of robot 'red' cannot be the name of an interface "
                  "there, which has 1 to 15 characters; choose a shorter name"));
}

TEST(LabPlan, NeedsALabSection) {
  try {
    plan_lab(read_yaml(with_line(24, "")));
    FAIL() << "made a plan for somebody's real interfaces";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "f.yaml: misses the `lab:` section, which `hilgate lab` needs");
  }
}

TEST(Process, PassesArgumentsUnchangedAndReportsErrors) {
  const std::vector<std::string> command = {"sh", "-c", "echo \"$1\" >&2; exit 3", "sh", "a  b; $HOME"};
  const ProcessResult result = run_process(command);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.errors, "a  b; $HOME");
  EXPECT_NO_THROW(run_or_throw({"true"}));
  try {
    run_or_throw({"ls", "/hgt-nowhere"});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("'ls /hgt-nowhere' failed with status 2: "));
  }
  EXPECT_THROW(run_or_throw({"hgt-no-such-program"}), std::runtime_error);
}

TEST(Process, CountsASignalAsShellsDo) {
  EXPECT_EQ(run_process(std::vector<std::string>{"sh", "-c", "kill -KILL $$"}).status, 137);
}

}  // namespace
}  // namespace hilgate::test
