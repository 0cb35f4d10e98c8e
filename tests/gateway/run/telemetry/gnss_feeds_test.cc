// SPDX-License-Identifier: Apache-2.0
// Sentences of NMEA 0183, the error of receivers, and when fixes are sent.
#include "gateway/run/telemetry/gnss_feeds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gateway/run/telemetry/heard_packet.h"
#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr Nanoseconds kUtc = 1'795'923'859s + 123'400'000ns;  // 2026-11-29, 03:44:19.1234
constexpr mavlink::Geodetic kZurich{47.3977, 8.5456, 488};

// ---- sentences ----

// The example of gpsd's "NMEA Revealed", from a receiver's manual.
TEST(NmeaSentences, HaveTheChecksumOfAReceiver) {
  EXPECT_EQ(nmea_sentence("GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,"),
            "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n");
}

TEST(NmeaSentences, HaveTimePlaceAndMotion) {
  const NmeaFix fix{.utc = kUtc, .place = kZurich, .motion = GroundMotion{.speed_m_s = 10, .course_deg = 90}};
  EXPECT_THAT(nmea_gga(fix), StartsWith("$GPGGA,034419.123,4723.86200,N,00832.73600,E,1,12,0.8,488.00,M,,M,,*"));
  EXPECT_THAT(nmea_rmc(fix), StartsWith("$GPRMC,034419.123,A,4723.86200,N,00832.73600,E,19.44,90.00,291126,,,A*"));
}

TEST(NmeaSentences, OfAReceiverWithoutAFixHaveTheTimeAlone) {
  const NmeaFix fix{.utc = kUtc};
  EXPECT_THAT(nmea_gga(fix), StartsWith("$GPGGA,034419.123,,,,,0,00,,,M,,M,,*"));
  EXPECT_THAT(nmea_rmc(fix), StartsWith("$GPRMC,034419.123,V,,,,,,,291126,,,N*"));
}

TEST(NmeaSentences, RoundWithoutMinute60Second60OrCourse360) {
  NmeaFix fix{.utc = 1'795'910'399s + 999'600'000ns,  // a millisecond before midnight, rounded to it
              .place = mavlink::Geodetic{-47.9999999999, -179.9999999999, -12'345.678},
              .motion = GroundMotion{.speed_m_s = 300, .course_deg = 359.9999}};
  EXPECT_THAT(nmea_gga(fix), HasSubstr(",000000.000,4800.00000,S,18000.00000,W,"));
  EXPECT_THAT(nmea_rmc(fix), HasSubstr(",583.15,0.00,291126,"));
  EXPECT_LE(nmea_gga(fix).size(), 82U);
  EXPECT_LE(nmea_rmc(fix).size(), 82U);
  fix.motion->course_deg.reset();
  EXPECT_THAT(nmea_rmc(fix), HasSubstr(",583.15,,291126,")) << "a robot that stands has no course";
}

// ---- motion ----

TEST(MotionMeter, HasSpeedAndCourseBetweenTwoPositions) {
  MotionMeter meter;
  EXPECT_FALSE(meter.take(SimTime{1s}, kZurich));
  EXPECT_FALSE(meter.take(SimTime{1s}, kZurich)) << "time stands";
  const auto west = meter.take(SimTime{3s}, mavlink::geodetic_of({-10, 0, 7}, kZurich));
  ASSERT_TRUE(west);
  EXPECT_NEAR(west->speed_m_s, 5, 1e-4);
  EXPECT_NEAR(west->course_deg.value(), 270, 1e-3);
  const auto stands = meter.take(SimTime{4s}, mavlink::geodetic_of({-10, 0, 9}, kZurich));
  ASSERT_TRUE(stands);
  EXPECT_NEAR(stands->speed_m_s, 0, 1e-4);
  EXPECT_FALSE(stands->course_deg);
}

// ---- errors ----

GnssConfig receiver(double sigma_m, double sigma_up_m, Nanoseconds correlation) {
  GnssConfig config;
  config.every = 1s;
  config.error = {.sigma_m = sigma_m, .sigma_up_m = sigma_up_m, .correlation = correlation};
  return config;
}

TEST(GnssError, HasItsDeviationAndItsCorrelation) {
  const GnssConfig config = receiver(2, 5, 10s);
  GnssError error(1, 0);
  constexpr std::uint64_t kFixes = 200'000;
  Vec3 last{};
  double east = 0, up = 0, lagged = 0, across = 0;
  for (std::uint64_t number = 0; number < kFixes; ++number) {
    const Vec3 now = error.at(number, config);
    east += now.x * now.x;
    up += now.z * now.z;
    lagged += now.x * last.x;
    across += now.x * now.y;
    last = now;
  }
  // About 10 000 independent values: deviations within 2 %, the correlation to the next fix exp(-1/10).
  EXPECT_NEAR(std::sqrt(east / kFixes), 2, 0.1);
  EXPECT_NEAR(std::sqrt(up / kFixes), 5, 0.25);
  EXPECT_NEAR(lagged / east, std::exp(-0.1), 0.01);
  EXPECT_NEAR(across / east, 0, 0.05);
}

TEST(GnssError, IsAFunctionOfSeedReceiverAndFix) {
  const GnssConfig config = receiver(2, 5, 60s);
  GnssError one(7, 3), skipping(7, 3), other_seed(8, 3), other_receiver(7, 4);
  for (std::uint64_t number = 0; number < 50; ++number) {
    one.at(number, config);
  }
  skipping.at(0, config);
  EXPECT_EQ(skipping.at(50, config), one.at(50, config)) << "fixes that were not made have their draws";
  EXPECT_NE(other_seed.at(0, config), GnssError(7, 3).at(0, config));
  EXPECT_NE(other_receiver.at(0, config), GnssError(7, 3).at(0, config));
}

TEST(GnssError, IsZeroWithoutDeviation) {
  GnssError error(1, 0);
  EXPECT_EQ(error.at(0, receiver(0, 0, 0s)), Vec3{});
  EXPECT_EQ(error.at(1, receiver(0, 0, 1h)), Vec3{});
}

TEST(GnssError, WithoutCorrelationIsThatFixesDrawAlone) {
  const GnssConfig config = receiver(2, 2, 0s);
  GnssError steady(1, 0), late(1, 0);
  steady.at(0, config);
  steady.at(1, config);
  EXPECT_EQ(steady.at(2, config), late.at(2, config));
}

// ---- when fixes are sent ----

class GnssFeedsTest : public testing::Test {
 protected:
  GnssFeedsTest() {
    configuration.ports.resize(2);
    configuration.ports[1].driver = PortDriver::kElsewhere;
    configuration.world.scene.origin = kZurich;
    for (const char* const name : {"red", "blue", "far"}) {
      RobotConfig& robot = configuration.robots.emplace_back();
      robot.name = robot.body = name;
      robot.port = PortIndex{name == std::string("far") ? 1U : 0U};
      robot.macs = {mac_of(1)};
    }
    for (const std::size_t i : {0U, 2U}) {
      GnssConfig& gnss = configuration.robots[i].gnss.emplace();
      gnss.to = ipv4_of(1);
      gnss.from = ipv4_of(2);
      gnss.port = 10'110;
      gnss.every = 200ms;
    }
    scene.robots.resize(3);
  }
  void at(Nanoseconds instant, Vec3 red = {}) {
    scene.at = SimTime{instant};
    scene.robots[0].position = red;
    feeds.send_due(configuration, scene, kUtc + instant, [this](RobotIndex robot, std::span<const std::byte> frame) {
      EXPECT_EQ(robot, RobotIndex{0});
      const auto packet = read_overheard(frame);
      EXPECT_EQ(packet.value().ends.to_port, 10'110);
      sent.emplace_back(reinterpret_cast<const char*>(packet->data.data()), packet->data.size());
      return room;
    });
  }

  Configuration configuration;
  Scene scene;
  GnssFeeds feeds;
  std::vector<std::string> sent;
  bool room = true;
};

TEST_F(GnssFeedsTest, AreSentOnceAnIntervalOfSimulationTime) {
  for (int ms = 0; ms < 1'000; ms += 10) {
    at(ms * 1ms);
  }
  ASSERT_EQ(sent.size(), 5U);
  EXPECT_THAT(sent[0], StartsWith("$GPGGA,034419.123,"));
  EXPECT_THAT(sent[0], HasSubstr("\r\n$GPRMC,034419.123,A,"));
  EXPECT_THAT(sent[0], EndsWith("\r\n"));
  EXPECT_THAT(sent[1], StartsWith("$GPGGA,034419.323,"));
  EXPECT_EQ(feeds.status(configuration)[0].skipped, 0U);
}

TEST_F(GnssFeedsTest, HaveThePositionAndTheMotionOfTheRobot) {
  at(0ms, {100, 200, 12});
  at(200ms, {100, 202, 12});
  ASSERT_EQ(sent.size(), 2U);
  const mavlink::Geodetic place = mavlink::geodetic_of({100, 202, 12}, kZurich);
  EXPECT_THAT(sent[0], HasSubstr(",E,,,291126,,,A*")) << "no motion is known at the first fix";
  EXPECT_THAT(sent[1], HasSubstr("19.44,0.00,291126,,,A*"));
  const auto status = feeds.status(configuration);
  ASSERT_EQ(status.size(), 1U) << "the robot at another gateway is that gateway's";
  EXPECT_EQ(status[0].latitude_deg, place.lat_deg);
  EXPECT_EQ(status[0].longitude_deg, place.lon_deg);
  EXPECT_EQ(status[0].error, Vec3{});
}

TEST_F(GnssFeedsTest, CountSkippedAndRefusedSentences) {
  at(0ms);
  room = false;
  at(1'000ms);
  const GnssFeedStatus status = feeds.status(configuration)[0];
  EXPECT_EQ(status.sent, 1U);
  EXPECT_EQ(status.refused, 1U);
  EXPECT_EQ(status.skipped, 4U);
}

TEST_F(GnssFeedsTest, HaveNoFixWhilePhysicsHasNotPlacedTheRobot) {
  scene.robots[0] = kUnplaced;
  at(0ms);
  EXPECT_THAT(sent[0], HasSubstr(",,,,,0,00,"));
  EXPECT_FALSE(feeds.status(configuration)[0].latitude_deg);
}

TEST_F(GnssFeedsTest, OfARobotThatLeftAreForgotten) {
  at(0ms);
  configuration.robots[0].gnss.reset();
  feeds.changed(configuration);
  EXPECT_TRUE(feeds.status(configuration).empty());
  configuration.robots[0].gnss = configuration.robots[2].gnss;
  EXPECT_EQ(feeds.status(configuration)[0].sent, 0U);
}

}  // namespace
}  // namespace hilgate::test
