// SPDX-License-Identifier: Apache-2.0
// Against stock ptp4l in two network namespaces.
#include "clock/reference/ptp4l_source.h"

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <ctime>

#include "clock/host_now.h"
#include "clock/reference/local_sources.h"
#include "clock/reference/reference_monitor.h"
#include "tests/clock/ptp_lab.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class Ptp4lSourceTest : public ::testing::Test {
 protected:
  [[nodiscard]] Ptp4lOptions options(std::uint8_t domain = 0) const {
    Ptp4lOptions result;
    result.management = {.server = lab.socket("slave"), .directory = lab.directory() / "own", .domain = domain};
    return result;
  }
  static bool gets_sample(Ptp4lSource& source, ReferenceReading& reading) {
    return wait_until(20s, [&] {
      reading = source.read();
      return reading.sample.has_value();
    });
  }
  PtpLab lab;
};

// The master serves the machine's own CLOCK_REALTIME, so what the slave measures is known.
TEST_F(Ptp4lSourceTest, MeasuresTheMasterAndNoticesItsLossAndReturn) {
  auto master = lab.start_ptp4l(PtpLab::Side::kA, "master", master_options());
  auto slave = lab.start_ptp4l(PtpLab::Side::kB, "slave", measuring_options());
  Ptp4lSource source{options()};
  ClockEvents events;
  ReferenceMonitor monitor{{.loss_after = 3s}, true, events};
  ReferenceReading reading;
  ASSERT_TRUE(gets_sample(source, reading)) << reading.problem << slave->output();
  const RealtimeBridge bridge;
  const std::int64_t truth = bridge.realtime_ns(reading.sample->host);
  EXPECT_LT(std::abs(reading.sample->wall.time_since_epoch().count() - truth), 500'000);
  EXPECT_EQ(reading.port_state, PtpPortState::kUncalibrated);
  ASSERT_TRUE(reading.path_delay && reading.properties);
  EXPECT_GT(*reading.path_delay, 0ns);
  EXPECT_FALSE(reading.properties->ptp_timescale) << "a software master serves UTC";

  const auto reaches = [&](ReferenceState state) {
    return wait_until(20s, [&] {
      monitor.update(host_now(), source.read());
      return monitor.state() == state;
    });
  };
  EXPECT_TRUE(reaches(ReferenceState::kTracking));
  master->stop(SIGKILL);
  EXPECT_TRUE(reaches(ReferenceState::kHoldover));
  master = lab.start_ptp4l(PtpLab::Side::kA, "master", master_options());
  EXPECT_TRUE(reaches(ReferenceState::kTracking));
  EXPECT_EQ(events.count(ClockEventKind::kReferenceFound), 1U);
  EXPECT_EQ(events.count(ClockEventKind::kReferenceLost), 1U);
  EXPECT_EQ(events.count(ClockEventKind::kReferenceReturned), 1U);
  EXPECT_EQ(source.read().malformed, 0U);
}

// The flag changes and the time does not, so TAI is now read as UTC + 37 s: the way the 37 s trap looks.
TEST_F(Ptp4lSourceTest, AddsTheUtcOffsetOfAMasterOnThePtpTimescale) {
  const auto master = lab.start_ptp4l(PtpLab::Side::kA, "master", master_options());
  const auto slave = lab.start_ptp4l(PtpLab::Side::kB, "slave", measuring_options());
  Ptp4lSource source{options()};
  ReferenceReading reading;
  ASSERT_TRUE(gets_sample(source, reading)) << reading.problem;
  test::run_ok({"pmc", "-u", "-b", "0", "-s", lab.socket("master").native(), "-i", (lab.directory() / "pmc").native(),
                "SET GRANDMASTER_SETTINGS_NP clockClass 248 clockAccuracy 0xfe offsetScaledLogVariance 0xffff "
                "currentUtcOffset 37 leap61 0 leap59 0 currentUtcOffsetValid 0 ptpTimescale 1 timeTraceable 0 "
                "frequencyTraceable 0 timeSource 0xa0"});
  ASSERT_TRUE(wait_until(10s, [&] {
    reading = source.read();
    return reading.sample && reading.properties->ptp_timescale;
  }));
  ASSERT_TRUE(gets_sample(source, reading));
  const std::int64_t truth = RealtimeBridge{}.realtime_ns(reading.sample->host);
  EXPECT_LT(std::abs(reading.sample->wall.time_since_epoch().count() - truth), 500'000)
      << "the master lied about its timescale, and hilgate reads what it really sent";
}

TEST_F(Ptp4lSourceTest, ReportsThatPtp4lIsAbsent) {
  Ptp4lSource source{options()};
  const ReferenceReading reading = source.read();
  EXPECT_FALSE(reading.sample);
  EXPECT_THAT(reading.problem, HasSubstr("socket " + lab.socket("slave").native()));
}

TEST_F(Ptp4lSourceTest, ReportsAnotherDomain) {
  const auto slave = lab.start_ptp4l(PtpLab::Side::kB, "slave", measuring_options());
  Ptp4lSource source{options(7)};
  ReferenceReading reading;
  EXPECT_TRUE(wait_until(5s, [&] {
    reading = source.read();
    return reading.problem.find("does not answer in domain 7") != std::string::npos;
  })) << reading.problem;
}

TEST_F(Ptp4lSourceTest, ReportsAMissingMaster) {
  const auto slave = lab.start_ptp4l(PtpLab::Side::kB, "slave", measuring_options());
  Ptp4lSource source{options()};
  ReferenceReading reading;
  EXPECT_TRUE(wait_until(5s, [&] {
    reading = source.read();
    return reading.problem.find("it receives no grandmaster") != std::string::npos;
  })) << reading.problem;
  EXPECT_EQ(reading.port_state, PtpPortState::kListening);
}

TEST_F(Ptp4lSourceTest, ReportsTheUserWithoutWriteAccess) {
  const auto slave = lab.start_ptp4l(PtpLab::Side::kB, "slave", measuring_options());
  ASSERT_TRUE(wait_until(5s, [&] { return std::filesystem::exists(lab.socket("slave")); }));
  chmod(lab.socket("slave").c_str(), 0660);
  Ptp4lSource source{options()};
  ASSERT_TRUE(setgroups(0, nullptr) == 0 && setegid(65534) == 0 && seteuid(65534) == 0);
  const ReferenceReading reading = source.read();
  ASSERT_TRUE(seteuid(0) == 0 && setegid(0) == 0);
  EXPECT_THAT(reading.problem, HasSubstr("user nobody cannot write to ptp4l's socket"));
  EXPECT_THAT(reading.problem, HasSubstr("root:root, mode 0660"));
}

TEST_F(Ptp4lSourceTest, SurvivesPtp4lThatHangsOrEnds) {
  auto slave = lab.start_ptp4l(PtpLab::Side::kB, "slave", measuring_options());
  Ptp4lSource source{options()};
  ASSERT_TRUE(wait_until(5s, [&] { return source.read().port_state == PtpPortState::kListening; }));
  slave->signal(SIGSTOP);
  EXPECT_TRUE(wait_until(5s, [&] { return !source.read().problem.empty(); }));
  slave->stop(SIGKILL);
  EXPECT_TRUE(wait_until(
      5s, [&] { return source.read().problem.find("ptp4l has exited and left its socket") != std::string::npos; }));
}

TEST_F(Ptp4lSourceTest, CountsAndIgnoresRubbish) {
  Ptp4lSource source{options()};
  const FileDescriptor sender{checked(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket")};
  for (const auto& entry : std::filesystem::directory_iterator(lab.directory() / "own")) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    entry.path().native().copy(to.sun_path, sizeof to.sun_path - 1);
    for (int i = 0; i < 5; ++i) {
      checked(static_cast<int>(sendto(sender.get(), "rubbish", 7, 0, reinterpret_cast<sockaddr*>(&to), sizeof to)),
              "sendto");
    }
  }
  EXPECT_EQ(source.read().malformed, 5U) << "those on the socket for notifications; the other waits for answers";
}

// The same measurement by way of shared memory. Under the guard the two clock writes at the start fail, harmlessly.
TEST_F(Ptp4lSourceTest, NtpShmSegmentOfAStockSlaveAgrees) {
  constexpr int kUnit = 218;
  const auto master = lab.start_ptp4l(PtpLab::Side::kA, "master", master_options());
  std::string options = measuring_options();
  options.replace(options.find("free_running 1"), 14, "clock_servo ntpshm\nntpshm_segment 218");
  auto slave = lab.start_ptp4l(PtpLab::Side::kB, "slave", options);
  NtpShmSource source{kUnit};
  ReferenceReading reading;
  EXPECT_TRUE(wait_until(20s,
                         [&] {
                           reading = source.read();
                           return reading.sample.has_value();
                         }))
      << reading.problem << slave->output();
  if (reading.sample) {
    const std::int64_t truth = RealtimeBridge{}.realtime_ns(reading.sample->host);
    EXPECT_LT(std::abs(reading.sample->wall.time_since_epoch().count() - truth), 500'000);
  }
  slave->stop();
  shmctl(shmget(0x4e545030 + kUnit, 96, 0), IPC_RMID, nullptr);
}

TEST(Ptp4lSource, NamesADeviceThatIsNoPhc) {
  Ptp4lOptions options;
  options.management.directory = std::filesystem::temp_directory_path();
  options.phc = "/dev/null";
  EXPECT_THROW(Ptp4lSource{options}, std::runtime_error);
}

}  // namespace
}  // namespace hilgate::test
