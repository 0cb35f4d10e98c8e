// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/gnss_feeds.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ctime>

#include "gateway/run/telemetry/heard_packet.h"
#include "rf_profiles/numeric/normal.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kGnssSalt = 0x67'6E'73'73'00'00'00'00;  // "gnss": apart from the radios' draws

bool has_gnss_here(const Configuration& configuration, const RobotConfig& robot) {
  return robot.gnss && configuration.ports[robot.port.value()].driver != PortDriver::kElsewhere;
}

}  // namespace

GnssError::GnssError(std::uint64_t seed, std::uint32_t stream) : seed_(seed ^ kGnssSalt), stream_(stream) {}

Vec3 GnssError::drawn(std::uint64_t number, const GnssErrorConfig& error) const {
  FrameRandom random(seed_, stream_, number);
  const double east = error.sigma_m * draw_normal(random);
  const double north = error.sigma_m * draw_normal(random);
  return {east, north, error.sigma_up_m * draw_normal(random)};
}

const Vec3& GnssError::at(std::uint64_t number, const GnssConfig& config) {
  constexpr std::uint64_t kMostFixes = 100'000;
  const bool continues = number_ && number >= *number_ && number - *number_ <= kMostFixes;
  if (!continues) {
    error_ = drawn(number, config.error);
  }
  const double correlation_s = seconds_of(config.error.correlation);
  const double kept = correlation_s > 0 ? std::exp(-seconds_of(config.every) / correlation_s) : 0;
  const double fresh = std::sqrt(1 - kept * kept);  // the variance stays what it is
  for (std::uint64_t each = continues ? *number_ + 1 : number + 1; each <= number; ++each) {
    const Vec3 draw = drawn(each, config.error);
    error_ = {kept * error_.x + fresh * draw.x, kept * error_.y + fresh * draw.y, kept * error_.z + fresh * draw.z};
  }
  number_ = number;
  return error_;
}

void GnssFeeds::send_due(const Configuration& configuration, const Scene& scene, Nanoseconds utc, const Send& send) {
  const Nanoseconds at = scene.at.time_since_epoch();
  if (at < Nanoseconds{0}) {
    return;
  }
  zero_ = zero_.value_or(utc - at);
  for (std::uint32_t i = 0; i < configuration.robots.size() && i < scene.robots.size(); ++i) {
    const RobotConfig& robot = configuration.robots[i];
    if (!has_gnss_here(configuration, robot)) {
      continue;
    }
    Feed& feed = feeds_.try_emplace(robot.name, Feed{.error = {configuration.seed, i}}).first->second;
    const auto number = static_cast<std::uint64_t>(at / robot.gnss->every);
    if (feed.fix == number) {
      continue;
    }
    feed.skipped += feed.fix && number > *feed.fix ? number - *feed.fix - 1 : 0;
    feed.fix = number;
    send_fix(configuration, RobotIndex{i}, scene, feed, send);
  }
}

void GnssFeeds::send_fix(const Configuration& configuration, RobotIndex robot, const Scene& scene, Feed& feed,
                         const Send& send) const {
  const RobotConfig& self = configuration.robots[robot.value()];
  const Pose& pose = scene.robots[robot.value()];
  NmeaFix fix{.utc = *zero_ + scene.at.time_since_epoch()};
  feed.sent_error.reset();
  if (pose.placed) {
    const mavlink::Geodetic& origin = *configuration.world.scene.origin;
    const Vec3& error = feed.sent_error.emplace(feed.error.at(*feed.fix, *self.gnss));
    fix.motion = feed.motion.take(scene.at, mavlink::geodetic_of(pose.position, origin));
    fix.place =
        mavlink::geodetic_of({pose.position.x + error.x, pose.position.y + error.y, pose.position.z + error.z}, origin);
  }
  feed.sent_place = fix.place;
  send(robot, feed_frame(self, *self.gnss, nmea_gga(fix) + nmea_rmc(fix))) ? ++feed.sent : ++feed.refused;
}

void GnssFeeds::changed(const Configuration& configuration) {
  std::erase_if(feeds_, [&](const auto& feed) {
    return std::ranges::none_of(configuration.robots, [&](const RobotConfig& robot) {
      return robot.name == feed.first && has_gnss_here(configuration, robot);
    });
  });
}

std::vector<GnssFeedStatus> GnssFeeds::status(const Configuration& configuration) const {
  std::vector<GnssFeedStatus> list;
  for (const RobotConfig& robot : configuration.robots) {
    if (!has_gnss_here(configuration, robot)) {
      continue;
    }
    GnssFeedStatus& status = list.emplace_back(GnssFeedStatus{.robot = robot.name});
    if (const auto found = feeds_.find(robot.name); found != feeds_.end()) {
      const Feed& feed = found->second;
      status.sent = feed.sent;
      status.refused = feed.refused;
      status.skipped = feed.skipped;
      if (feed.sent_place) {
        status.latitude_deg = feed.sent_place->lat_deg;
        status.longitude_deg = feed.sent_place->lon_deg;
        status.altitude_m = feed.sent_place->alt_m;
      }
      status.error = feed.sent_error;
    }
  }
  return list;
}

namespace {

constexpr double kKnotsPerMetrePerSecond = 3600.0 / 1852;

struct NmeaTime {
  std::string time, date;  // "hhmmss.sss", "ddmmyy"
};

NmeaTime nmea_time(Nanoseconds utc) {
  const auto ms = std::chrono::round<std::chrono::milliseconds>(utc).count();
  const std::tm parts = fmt::gmtime(static_cast<std::time_t>(ms / 1000));
  return {fmt::format("{:%H%M%S}.{:03}", parts, ms % 1000), fmt::format("{:%d%m%y}", parts)};
}

// "ddmm.mmmmm,N": whole units of 1e-5 minutes (1.9 cm), so that no minute is 60.
std::string nmea_angle(double degrees, int digits, char positive, char negative) {
  constexpr long kPerDegree = 60 * 100'000;
  const long units = std::lround(std::abs(degrees) * kPerDegree);
  const long minutes = units % kPerDegree;
  return fmt::format("{:0{}}{:02}.{:05},{}", units / kPerDegree, digits, minutes / 100'000, minutes % 100'000,
                     degrees < 0 ? negative : positive);
}

std::string nmea_place(const std::optional<mavlink::Geodetic>& place) {
  return place ? nmea_angle(place->lat_deg, 2, 'N', 'S') + "," + nmea_angle(place->lon_deg, 3, 'E', 'W') : ",,,";
}

}  // namespace

std::string nmea_sentence(std::string_view body) {
  unsigned checksum = 0;
  for (const char c : body) {
    checksum ^= static_cast<unsigned char>(c);
  }
  return fmt::format("${}*{:02X}\r\n", body, checksum);
}

std::string nmea_gga(const NmeaFix& fix) {
  const std::string quality = fix.place ? fmt::format("1,12,0.8,{:.2f},M", fix.place->alt_m) : "0,00,,,M";
  return nmea_sentence(fmt::format("GPGGA,{},{},{},,M,,", nmea_time(fix.utc).time, nmea_place(fix.place), quality));
}

std::string nmea_rmc(const NmeaFix& fix) {
  const auto [time, date] = nmea_time(fix.utc);
  std::string motion = ",";
  if (fix.place && fix.motion) {
    motion = fmt::format("{:.2f},", fix.motion->speed_m_s * kKnotsPerMetrePerSecond);
    if (fix.motion->course_deg) {
      motion += fmt::format("{:.2f}", rounded_course(*fix.motion->course_deg));
    }
  }
  return nmea_sentence(fmt::format("GPRMC,{},{},{},{},{},,,{}", time, fix.place ? 'A' : 'V', nmea_place(fix.place),
                                   motion, date, fix.place ? 'A' : 'N'));
}

}  // namespace hilgate
