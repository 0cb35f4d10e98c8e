// SPDX-License-Identifier: Apache-2.0
#include "gateway/lab/lab_plan.h"

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

TEST(LabPlan, LeavesTheMacToTheKernelWhereNoneIsGiven) {
  EXPECT_EQ(plan_lab(read_yaml(with_line(14, ""))).robots[1].mac, "");
}

TEST(LabPlan, NeedsALabSection) {
  try {
    plan_lab(read_yaml(with_line(24, "")));
    FAIL() << "made a plan for somebody's real interfaces";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "f.yaml: misses the `lab:` section, which `hilgate lab` needs");
  }
}

TEST(Process, PassesArgumentsAsTheyAreAndTellsWhatWentWrong) {
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
