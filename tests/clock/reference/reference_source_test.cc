// SPDX-License-Identifier: Apache-2.0
// The sources that need no other program: what they read, and what they say when they cannot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include <cstring>
#include <ctime>
#include <functional>

#include "clock/hardware/clock_bridges.h"
#include "clock/hardware/phc_device.h"
#include "clock/host_now.h"
#include "clock/reference/local_sources.h"
#include "clock/reference/reference_options.h"

namespace hilgate::test {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "(no error)";
}

std::int64_t realtime_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

TEST(RealtimeBridge, AgreesWithTheKernel) {
  RealtimeBridge bridge;
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(bridge.refresh());
  }
  const std::int64_t before = bridge.realtime_ns(host_now());
  const std::int64_t real = realtime_ns();
  const std::int64_t after = bridge.realtime_ns(host_now());
  EXPECT_GE(real, before - 1000);
  EXPECT_LE(real, after + 1000);
  EXPECT_EQ(bridge.realtime_ns(bridge.host(12345)), 12345);
}

TEST(RealtimeBridge, HasTaiLikewise) {
  RealtimeBridge bridge(CLOCK_TAI);
  EXPECT_FALSE(bridge.refresh());
  timespec tai{};
  const std::int64_t before = bridge.realtime_ns(host_now());
  clock_gettime(CLOCK_TAI, &tai);
  const std::int64_t after = bridge.realtime_ns(host_now());
  const std::int64_t real = tai.tv_sec * std::int64_t{1'000'000'000} + tai.tv_nsec;
  const std::int64_t margin = bridge.uncertainty().count() + 1000;
  EXPECT_GE(real, before - margin);
  EXPECT_LE(real, after + margin);
}

TEST(PhcDevice, ReportsDevicesThatAreNoPhc) {
  EXPECT_THAT(error_of([] { PhcDevice{"/dev/null"}; }), HasSubstr("/dev/null is not a PTP hardware clock"));
  EXPECT_THAT(error_of([] { PhcDevice{"/dev/ptp77"}; }), HasSubstr("/dev/ptp77: No such file or directory"));
  EXPECT_THAT(error_of([] { phc_of_interface("lo"); }), HasSubstr("'lo' has no PTP hardware clock"));
  EXPECT_THAT(error_of([] { phc_of_interface("hgt-none"); }), HasSubstr("network interface 'hgt-none' does not exist"));
}

TEST(PhcDevice, ReportsTheOptionThatNamesIt) {
  ReferenceOptions options;
  options.kind = ReferenceKind::kPhc;
  EXPECT_THAT(error_of([&] { make_reference(options); }), HasSubstr("--phc"));
}

TEST(PhcDevice, TakesTheNarrowestReading) {
  const std::array<PhcTriple, 3> triples = {{{100, 1000, 150}, {200, 1100, 210}, {300, 1200, 400}}};
  const PhcReading reading = narrowest(triples);
  EXPECT_EQ(reading.phc_ns, 1100);
  EXPECT_EQ(reading.realtime_ns, 205);
  EXPECT_EQ(reading.width_ns, 10);
}

TEST(PhcBridge, FollowsAPhcThatDrifts) {
  RealtimeBridge realtime;
  PhcBridge bridge;
  EXPECT_FALSE(bridge.host(0));
  const std::int64_t epoch = 1'000'000'000'000;
  for (std::int64_t i = 0; i <= 30; ++i) {  // every 100 ms of a PHC that runs 50 ppm slow
    EXPECT_FALSE(bridge.add({i * 100'000'000, epoch + i * 100'005'000, 0}, realtime));
  }
  const HostTime expected = realtime.host(epoch + 29 * std::int64_t{100'005'000});
  EXPECT_NEAR(static_cast<double>((*bridge.host(2'900'000'000) - expected).count()), 0, 2);
  EXPECT_TRUE(bridge.add({37'000'000'000, epoch + 31 * std::int64_t{100'005'000}, 0}, realtime))
      << "a step begins a new line";
}

TEST(MonotonicSource, RunsAsTheHostDoes) {
  MonotonicSource source;
  EXPECT_FALSE(source.has_reference());
  EXPECT_THAT(source.describe(), HasSubstr("no reference"));
  const auto first = source.read().sample;
  const auto second = source.read().sample;
  ASSERT_TRUE(first && second);
  EXPECT_EQ(second->host - first->host, second->wall - first->wall);
}

// Two clocks of a world are made at different instants of the machine, and at the same one of the world.
TEST(MonotonicSource, OfSimulatedTimeDoesNotReadTheMachinesClocks) {
  ControlClock::simulate(ControlClock::time_point{std::chrono::hours{1}});
  const ReferenceSample sample = read_system_tai();
  const ReferenceReading reading = MonotonicSource{}.read();
  ControlClock::simulate(std::nullopt);
  EXPECT_EQ(sample.host, HostTime{std::chrono::hours{1}});
  EXPECT_EQ(sample.wall, WallTime{std::chrono::hours{1}});
  ASSERT_TRUE(reading.sample);
  EXPECT_EQ(reading.sample->wall, sample.wall);
}

// Gateways of a world's site differ in TAI, and in host time.
TEST(TaiSource, OfSimulatedTimeIsAheadOfItAsSet) {
  ControlClock::simulate(ControlClock::time_point{std::chrono::hours{1}});
  simulate_system_tai(std::chrono::minutes{1});
  const ReferenceReading reading = TaiSource{}.read();
  simulate_system_tai(Nanoseconds{0});
  ControlClock::simulate(std::nullopt);
  ASSERT_TRUE(reading.sample && reading.properties);
  EXPECT_EQ(reading.sample->wall, WallTime{std::chrono::minutes{61}});
  EXPECT_TRUE(reading.properties->utc_offset_valid);
  EXPECT_EQ(reading.problem, "");
}

TEST(TaiSource, ReadsTheSystemClockAndReportsItsFaults) {
  TaiSource source;
  const ReferenceReading reading = source.read();
  ASSERT_TRUE(reading.sample && reading.properties);
  const std::int64_t tai_minus_utc = reading.sample->wall.time_since_epoch().count() - realtime_ns();
  EXPECT_NEAR(static_cast<double>(tai_minus_utc) * 1e-9, reading.properties->utc_offset_s, 1.0);
  if (reading.properties->utc_offset_s == 0) {
    EXPECT_FALSE(reading.problem.empty());
  }
}

TEST(ReferenceKind, ErrorsListTheKinds) {
  EXPECT_EQ(reference_kind("ptp4l"), ReferenceKind::kPtp4l);
  EXPECT_EQ(name(ReferenceKind::kTai), "tai");
  EXPECT_THAT(error_of([] { reference_kind("gps"); }),
              HasSubstr("unknown source 'gps'; allowed: ptp4l, phc, ntpshm, tai, monotonic"));
}

// A segment as ptp4l makes it, under a unit nobody uses.
class NtpShmTest : public ::testing::Test {
 protected:
  static constexpr int kUnit = 217;
  void SetUp() override {
    id_ = shmget(0x4e545030 + kUnit, 96, IPC_CREAT | 0600);
    ASSERT_GE(id_, 0);
    memory_ = static_cast<std::byte*>(shmat(id_, nullptr, 0));
    std::memset(memory_, 0, 96);
  }
  void TearDown() override {
    shmdt(memory_);
    shmctl(id_, IPC_RMID, nullptr);
  }
  template <class T>
  void put(std::size_t offset, T value) {
    std::memcpy(memory_ + offset, &value, sizeof value);
  }
  void write_sample(std::int32_t count, std::int64_t reference_ns, std::int64_t local_ns) {
    put(0, std::int32_t{1});
    put(4, count);
    put(8, reference_ns / 1'000'000'000);
    put(16, static_cast<std::int32_t>(reference_ns % 1'000'000'000 / 1000));
    put(24, local_ns / 1'000'000'000);
    put(32, static_cast<std::int32_t>(local_ns % 1'000'000'000 / 1000));
    put(48, std::int32_t{1});
    put(52, static_cast<std::int32_t>(reference_ns % 1'000'000'000));
    put(56, static_cast<std::int32_t>(local_ns % 1'000'000'000));
  }
  int id_ = -1;
  std::byte* memory_ = nullptr;
};

TEST_F(NtpShmTest, GivesEachSampleOnce) {
  NtpShmSource source{kUnit};
  EXPECT_THAT(source.read().problem, HasSubstr("ntpshm segment 217 has no data yet"));
  write_sample(2, 5'000'000'123, realtime_ns());
  EXPECT_FALSE(source.read().sample) << "what is found at the start may be years old";
  const std::int64_t local = realtime_ns();
  write_sample(4, 6'000'000'123, local);
  const auto sample = source.read().sample;
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->wall, WallTime{Nanoseconds{6'000'000'123}});
  EXPECT_LT(std::chrono::abs(sample->host - RealtimeBridge{}.host(local)), std::chrono::microseconds{2});
  EXPECT_FALSE(source.read().sample);
}

TEST_F(NtpShmTest, IgnoresValuesOutOfRange) {
  write_sample(2, 1, 1);
  put(16, std::int32_t{-1});
  EXPECT_FALSE(read_ntpshm(memory_));
  write_sample(2, 1, 1);
  put(8, std::int64_t{1} << 62);
  EXPECT_FALSE(read_ntpshm(memory_));
  write_sample(2, 1, 1);
  put(48, std::int32_t{0});
  EXPECT_FALSE(read_ntpshm(memory_));
}

TEST(NtpShm, ReportsAMissingSegment) {
  NtpShmSource source{216};
  const ReferenceReading reading = source.read();
  EXPECT_FALSE(reading.sample);
  EXPECT_THAT(reading.problem, HasSubstr("ntpshm segment 216"));
  EXPECT_THAT(error_of([] { NtpShmSource{256}; }), HasSubstr("segment 256 is out of range; allowed: 0 to 255"));
}

}  // namespace
}  // namespace hilgate::test
