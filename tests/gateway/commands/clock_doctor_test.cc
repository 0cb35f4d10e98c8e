// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/clock/clock_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "clock/servo/clock_report.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

ClockFacts well() {
  ClockFacts facts;
  facts.kind = ReferenceKind::kPtp4l;
  facts.status.state = ReferenceState::kTracking;
  facts.status.port_state = PtpPortState::kSlave;
  facts.status.properties = TimeProperties{.utc_offset_s = 37, .utc_offset_valid = true, .ptp_timescale = true};
  facts.status.path_delay = 2us;
  facts.hardware_stamps = true;
  return facts;
}

std::string first(const ClockFacts& facts) {
  const auto found = findings(facts);
  return found.empty() ? "" : std::string{name(found[0].concern)} + ": " + found[0].what;
}

TEST(ClockDoctor, FindsNothingOnAGoodClock) {
  EXPECT_TRUE(findings(well()).empty());
}

TEST(ClockDoctor, Finds37Seconds) {
  for (const Nanoseconds apart : {Nanoseconds{37s + 1ms}, Nanoseconds{-37s}}) {
    ClockFacts facts = well();
    facts.ahead_of_system_tai = apart;
    EXPECT_THAT(first(facts), HasSubstr("warning: the reference differs"));
    EXPECT_THAT(first(facts), HasSubstr("which is TAI - UTC"));
  }
  ClockFacts facts = well();
  facts.ahead_of_system_tai = 36s;
  EXPECT_TRUE(findings(facts).empty());
}

TEST(ClockDoctor, FindsSoftwareStampsAndUtcMasters) {
  ClockFacts facts = well();
  facts.hardware_stamps = false;
  EXPECT_THAT(first(facts), HasSubstr("note: PTP messages are timestamped in software"));
  facts = well();
  facts.status.properties->ptp_timescale = false;
  EXPECT_THAT(first(facts), HasSubstr("note: the grandmaster does not serve TAI"));
}

TEST(ClockDoctor, FindsTwoMastersInOneDomainOnly) {
  ClockFacts facts = well();
  facts.masters = {{PortIdentity{{}, 1}, 0, {}}, {PortIdentity{{}, 2}, 1, {}}};
  EXPECT_TRUE(findings(facts).empty());
  facts.masters[1].domain = 0;
  EXPECT_THAT(first(facts), HasSubstr("warning: two masters are active in domain 0"));
  facts = well();
  facts.grandmaster_changes = 2;
  EXPECT_THAT(first(facts), HasSubstr("the grandmaster changed 2 times"));
}

TEST(ClockDoctor, FindsASlaveThatLostItsMaster) {
  ClockFacts facts = well();
  facts.status.state = ReferenceState::kHoldover;
  facts.status.port_state = PtpPortState::kListening;
  EXPECT_EQ(first(facts), "error: ptp4l receives no time (port state listening)");
}

TEST(ClockDoctor, FindsThePathDelayTrap) {
  ClockFacts facts = well();
  facts.status.path_delay = -6ms;
  EXPECT_THAT(first(facts), HasSubstr("warning: the path delay is negative (-6000000 ns)"));
}

TEST(ClockDoctor, WorstIsFirst) {
  ClockFacts facts = well();
  facts.hardware_stamps = false;
  facts.status.problem = "socket ";
  facts.status.state = ReferenceState::kWaiting;
  EXPECT_EQ(first(facts), "error: socket ");
}

TEST(ClockCommand, StatusOfAClockWithoutReferenceIsWell) {
  ClockOptions options;
  options.duration = 200ms;
  options.poll_every = 20ms;
  std::stringstream out;
  EXPECT_EQ(clock_command(options, out), 0);
  EXPECT_THAT(out.str(), HasSubstr("state        free\n"));
  EXPECT_THAT(out.str(), HasSubstr("no reference: the host's own oscillator"));
  options.json = true;
  std::stringstream json;
  EXPECT_EQ(clock_command(options, json), 0);
  EXPECT_EQ(nlohmann::json::parse(json.str())["state"], "free");
}

TEST(ClockCommand, ReportsMissingKeys) {
  ClockOptions options;
  options.reference.kind = ReferenceKind::kPtp4l;
  options.reference.ptp4l = {.server = "/nonexistent/ptp4l", .directory = "/tmp/hgt-clock-own"};
  options.duration = 200ms;
  std::stringstream out;
  EXPECT_EQ(clock_command(options, out), 1);
  EXPECT_THAT(out.str(), HasSubstr("problem      socket /nonexistent/ptp4l"));
  options.task = ClockTask::kDoctor;
  options.json = true;
  std::stringstream doctor;
  EXPECT_EQ(clock_command(options, doctor), 1);
  EXPECT_EQ(nlohmann::json::parse(doctor.str())[0]["concern"], "error");
  std::filesystem::remove_all("/tmp/hgt-clock-own");
}

TEST(ClockCommand, TraceHasALinePerMeasurement) {
  ClockOptions options;
  options.task = ClockTask::kTrace;
  options.duration = 300ms;
  options.poll_every = 20ms;
  std::stringstream out;
  EXPECT_EQ(clock_command(options, out), 0);
  std::string line;
  std::getline(out, line);
  EXPECT_EQ(line, "host_ns,wall_ns,offset_ns,rate_ppb,path_delay_ns,state,grandmaster");
  int lines = 0;
  while (std::getline(out, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 6) << line;
    ++lines;
  }
  EXPECT_GT(lines, 3);
}

TEST(ClockCommand, WatchDrawsAPlot) {
  ClockOptions options;
  options.task = ClockTask::kWatch;
  options.duration = 200ms;
  std::stringstream out;
  EXPECT_EQ(clock_command(options, out), 0);
  EXPECT_THAT(out.str(), HasSubstr(" ns |"));
}

TEST(TerminalPlot, PutsValuesWhereTheyBelong) {
  EXPECT_EQ(plot({-10, 0, 10}, 10, 3, "ns"),
            "       +10 ns |  *\n"
            "        +0 ns |-*-\n"
            "       -10 ns |*  \n");
  EXPECT_EQ(plot({1, 2, 3, 4}, 2, 1, "ns"), "        +0 ns |**\n");
}

}  // namespace
}  // namespace hilgate::test
