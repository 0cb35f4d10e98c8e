// SPDX-License-Identifier: Apache-2.0
// What a port loses is said, but for what it kept out while it was closed.
#include "gateway/run/conditions/found_conditions.h"

#include <gmock/gmock.h>

namespace hilgate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PortConditionsTest : public testing::Test {
 protected:
  /// Texts of the conditions at a look at one port that has blocked so many frames until now.
  std::vector<std::string> look(const char* state, std::uint64_t blocked) {
    const PortReport port{.name = "red",
                          .interface = "hg-red",
                          .state = state,
                          .driver = "af_xdp",
                          .mode = "native",
                          .lost_at_capture = {{"blocked", blocked}}};
    std::vector<Condition> found;
    conditions_.find(Configuration{}, {port}, false, found);
    std::vector<std::string> texts;
    for (const Condition& condition : found) {
      if (condition.name == "port_loses") {
        texts.push_back(condition.text);
      }
    }
    return texts;
  }

 private:
  PortConditions conditions_;
};

TEST_F(PortConditionsTest, FramesThatCameBeforeTheRunAreNoLoss) {
  EXPECT_THAT(look("up", 2), IsEmpty());
  EXPECT_THAT(look("up", 2), IsEmpty());
  EXPECT_THAT(look("up", 3), ElementsAre("port red: loses frames beside the packet path; 3 at capture (blocked 3)"));
  EXPECT_THAT(look("up", 3), IsEmpty());
}

TEST_F(PortConditionsTest, FramesThatCameWhileItWasClosedAreNoLoss) {
  EXPECT_THAT(look("down", 0), IsEmpty());
  EXPECT_THAT(look("down", 5), IsEmpty());
  EXPECT_THAT(look("up", 7), IsEmpty());
  EXPECT_THAT(look("up", 8), ElementsAre("port red: loses frames beside the packet path; 8 at capture (blocked 8)"));
}

TEST_F(PortConditionsTest, AnInterfaceMadeAgainCountsFromZero) {
  EXPECT_THAT(look("up", 9), IsEmpty());
  EXPECT_THAT(look("absent", 0), IsEmpty());
  EXPECT_THAT(look("up", 0), IsEmpty());
  EXPECT_THAT(look("up", 1), ElementsAre("port red: loses frames beside the packet path; 1 at capture (blocked 1)"));
}

TEST(TimestampConditions, FramesThatLeaveEarlyAreNamedWithTheirNumber) {
  PortConditions conditions;
  const auto look = [&conditions](std::uint64_t early) {
    PortReport port{.name = "red",
                    .interface = "hg-red",
                    .driver = "af_xdp",
                    .mode = "native",
                    .departures = {.source = StampSource::kKernel, .totals = {.early = early}}};
    port.departures.totals.errors.add(Nanoseconds{0}, 10);
    std::vector<Condition> found;
    conditions.find(Configuration{}, {port}, false, found);
    return found;
  };
  EXPECT_THAT(look(0), IsEmpty());
  const auto found = look(2);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "released_early");
  EXPECT_EQ(severity_of(found[0].name), Severity::kError);
  EXPECT_EQ(found[0].about, "red");
  EXPECT_THAT(found[0].text, testing::HasSubstr("port red: 2 of 10 timestamped frames left before they were due"));
  EXPECT_THAT(look(2), IsEmpty()) << "it lasts by itself";
}

TEST(LaunchTimeConditions, ADeviceThatDoesNotKeepThemIsNamedWhileItIsNotUsed) {
  PortConditions conditions;
  const auto look = [&conditions](const StampStatistics& departures) {
    const PortReport port{
        .name = "red", .interface = "hg-red", .driver = "af_xdp", .mode = "native", .departures = departures};
    std::vector<Condition> found;
    conditions.find(Configuration{}, {port}, false, found);
    return found;
  };
  EXPECT_THAT(look({.launch_problem = "not offered by the driver veth"}), IsEmpty());
  EXPECT_THAT(look({.launches = {.used = true}}), IsEmpty());
  const auto found = look({.launches = {.problem = LaunchProblem::kEarly},
                           .launch_problem = "the device sent a frame before its launch time"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "launch_time_unused");
  EXPECT_EQ(severity_of(found[0].name), Severity::kWarning);
  EXPECT_THAT(found[0].text, testing::HasSubstr("port red: the device sent a frame before its launch time"));
}

// A serial line that brings more than its radio sends.
TEST(LineConditions, OverflowIsReportedWithItsRemedy) {
  PortConditions conditions;
  const auto look = [&conditions](std::uint64_t overflow, bool has_flow) {
    const PortReport port{.name = "sik",
                          .interface = "/run/hilgate/lines/sik",
                          .state = "up",
                          .driver = "pty",
                          .mode = "57600 baud, mavlink",
                          .line = {.in = 94'531, .overflow = overflow, .has_flow = has_flow}};
    std::vector<Condition> found;
    conditions.find(Configuration{}, {port}, false, found);
    return found;
  };
  EXPECT_THAT(look(0, false), IsEmpty());
  const auto found = look(14'855, false);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "line_overflow");
  EXPECT_EQ(found[0].about, "sik");
  EXPECT_THAT(found[0].text, testing::HasSubstr("14855 of 94531 B from its serial line are lost"));
  EXPECT_THAT(found[0].text, testing::HasSubstr("set `flow: rtscts`"));
  EXPECT_THAT(look(14'855, false), IsEmpty()) << "it lasts by itself";
  EXPECT_THAT(look(14'900, true).at(0).text, testing::HasSubstr("although it is asked to wait"));
}

}  // namespace
}  // namespace hilgate
