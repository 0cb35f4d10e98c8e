// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/nmea_sentences.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ctime>

namespace hilgate {
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
