// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "config/plain_text.h"
#include "physics_link/tracklog/log_formats.h"
#include "physics_link/tracklog/log_time.h"

namespace hilgate {
namespace {

constexpr std::size_t kLongestSentence = 1024;  // 82 by the standard, which receivers exceed
constexpr Nanoseconds kDay = std::chrono::hours(24);

struct NmeaFix {
  Nanoseconds of_day{};
  std::size_t line = 0;
  std::optional<mavlink::Geodetic> place{};  // absent: without a fix
};
/// A date that a sentence said, and how many fixes were before it.
struct NmeaDate {
  Nanoseconds utc{};
  std::size_t before = 0;
};

class NmeaReader {
 public:
  explicit NmeaReader(const std::string& file)
      : file_(file), log_(file, "NMEA 0183", LogClock::kUtc, LogBuilder::Counts::kLines) {}
  TrackLog read(std::string_view text);

 private:
  void take_line(std::string_view line);
  void take_sentence(const std::vector<std::string>& fields);
  void take_gga(const std::vector<std::string>& fields);
  void take_rmc(const std::vector<std::string>& fields);
  void take_zda(const std::vector<std::string>& fields);
  void note_date(std::optional<Nanoseconds> day, std::optional<Nanoseconds> of_day);
  /// ddmm.mmmm and N, S, E or W as degrees; a fault where they are none.
  std::optional<double> degrees(const std::string& text, const std::string& side, std::size_t whole);
  std::optional<Nanoseconds> time_in(const std::string& text);
  TrackLog finish();
  [[nodiscard]] static Nanoseconds nearest_day(Nanoseconds of_day, Nanoseconds date);

  const std::string& file_;
  LogBuilder log_;
  std::size_t line_ = 0;
  std::vector<NmeaFix> gga_;
  std::vector<NmeaFix> rmc_;
  std::vector<NmeaDate> gga_dates_;  // `before` of gga_
  std::vector<NmeaDate> rmc_dates_;
};

TrackLog NmeaReader::read(std::string_view text) {
  while (!text.empty() && !log_.full()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    ++line_;
    take_line(trimmed(text.substr(0, end), kLogBlanks));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return finish();
}

// $GPGGA,...*hh: the checksum is the exclusive or of what is between $ and *.
void NmeaReader::take_line(std::string_view line) {
  if (line.size() < 7 || line.size() > kLongestSentence || line[0] != '$') {
    if (!line.empty()) {
      log_.leave_out("lines that are no sentences");
    }
    return;
  }
  line.remove_prefix(1);
  const std::size_t star = line.find('*');
  if (star != std::string_view::npos) {
    unsigned sum = 0;
    for (const char c : line.substr(0, star)) {
      sum ^= static_cast<unsigned char>(c);
    }
    if (fmt::format("{:02X}", sum) != line.substr(star + 1) && fmt::format("{:02x}", sum) != line.substr(star + 1)) {
      return log_.leave_out("sentences with a wrong checksum");
    }
    line = line.substr(0, star);
  }
  take_sentence(parts_of(line, ','));
}

void NmeaReader::take_sentence(const std::vector<std::string>& fields) {
  const std::string_view address = fields[0];
  if (address.size() != 5) {
    return;
  }
  const std::string_view kind = address.substr(2);
  if (kind == "GGA" && fields.size() >= 10) {
    take_gga(fields);
  } else if (kind == "RMC" && fields.size() >= 10) {
    take_rmc(fields);
  } else if (kind == "ZDA" && fields.size() >= 5) {
    take_zda(fields);
  }
}

std::optional<Nanoseconds> NmeaReader::time_in(const std::string& text) {
  const auto time = time_of_day(text);
  if (!time && !text.empty()) {
    log_.fault(line_, fmt::format("time '{}' is none; example: 123519.00", shown(text)));
  }
  return time;
}

std::optional<double> NmeaReader::degrees(const std::string& text, const std::string& side, std::size_t whole) {
  const auto full = digits_at(text, 0, whole);
  const double minutes = full ? finite_number(std::string_view(text).substr(whole)).value_or(-1) : -1;  // out of range
  const bool known = whole == 2 ? side == "N" || side == "S" : side == "E" || side == "W";
  if (!(minutes >= 0 && minutes < 60) || !known) {
    log_.fault(line_, fmt::format("'{},{}' is no {}", shown(text), shown(side),
                                  whole == 2 ? "latitude; example: 4807.038,N" : "longitude; example: 01131.000,E"));
    return std::nullopt;
  }
  const double value = *full + minutes / 60;
  return side == "S" || side == "W" ? -value : value;
}

// time, latitude, N, longitude, E, quality, satellites, dilution, altitude above the sea
void NmeaReader::take_gga(const std::vector<std::string>& fields) {
  const auto time = time_in(fields[1]);
  if (!time) {
    return log_.leave_out("positions without a time");
  }
  if (fields[6].empty() || fields[6] == "0") {
    gga_.push_back({*time, line_});
    return;
  }
  const auto lat = degrees(fields[2], fields[3], 2);
  const auto lon = degrees(fields[4], fields[5], 3);
  const auto alt = finite_number(fields[9]);
  if (!alt) {
    log_.leave_out("altitudes that are missing or no numbers; they count as 0 m");
  }
  if (lat && lon) {
    gga_.push_back({*time, line_, mavlink::Geodetic{*lat, *lon, alt.value_or(0)}});
  }
}

// time, status, latitude, N, longitude, E, speed, course, date
void NmeaReader::take_rmc(const std::vector<std::string>& fields) {
  const auto time = time_in(fields[1]);
  const auto day = digits_at(fields[9], 0, 2);
  const auto month = digits_at(fields[9], 2, 2);
  const auto year = digits_at(fields[9], 4, 2);
  if (day && month && year) {
    note_date(utc_of_day(*year + (*year < 80 ? 2000 : 1900), *month, *day), time);
  }
  if (!time) {
    return;
  }
  if (fields[2] != "A") {
    rmc_.push_back({*time, line_});
    return;
  }
  const auto lat = degrees(fields[3], fields[4], 2);
  const auto lon = degrees(fields[5], fields[6], 3);
  if (lat && lon) {
    rmc_.push_back({*time, line_, mavlink::Geodetic{*lat, *lon, 0}});
  }
}

// time, day, month, year
void NmeaReader::take_zda(const std::vector<std::string>& fields) {
  const auto day = digits_at(fields[2], 0, 2);
  const auto month = digits_at(fields[3], 0, 2);
  const auto year = digits_at(fields[4], 0, 4);
  if (day && month && year) {
    note_date(utc_of_day(*year, *month, *day), time_in(fields[1]));
  }
}

void NmeaReader::note_date(std::optional<Nanoseconds> day, std::optional<Nanoseconds> of_day) {
  if (day && of_day) {
    gga_dates_.push_back({*day + *of_day, gga_.size()});
    rmc_dates_.push_back({*day + *of_day, rmc_.size()});
  }
}

// The instant of the time of day that is nearest to `date`: a fix and the date next to it may have midnight between
// them.
Nanoseconds NmeaReader::nearest_day(Nanoseconds of_day, Nanoseconds date) {
  const Nanoseconds midnight = date / kDay * kDay;
  Nanoseconds best = midnight + of_day;
  for (const Nanoseconds other : {best - kDay, best + kDay}) {
    best = std::chrono::abs(other - date) < std::chrono::abs(best - date) ? other : best;
  }
  return best;
}

TrackLog NmeaReader::finish() {
  const auto has_place = [](const NmeaFix& fix) { return fix.place.has_value(); };
  const bool from_gga = std::ranges::any_of(gga_, has_place);
  const std::vector<NmeaFix>& fixes = from_gga ? gga_ : rmc_;
  const std::vector<NmeaDate>& dates = from_gga ? gga_dates_ : rmc_dates_;
  const std::string name = std::filesystem::path(file_).stem().string();
  if (!from_gga && std::ranges::any_of(rmc_, has_place)) {
    log_.note("there is no GGA: altitudes count as 0 m");
  }
  if (dates.empty() && !fixes.empty()) {
    log_.note("there is no date: times count from 1970-01-01");
    log_.forget_utc();
  }
  // The date is that of the fix before, or of the sentence since then: a day begins where the time of day goes back by
  // more than half a day.
  Nanoseconds date = dates.empty() ? Nanoseconds{0} : dates.front().utc;
  std::size_t next = 0;
  for (std::size_t i = 0; i < fixes.size() && !log_.full(); ++i) {
    for (; next < dates.size() && dates[next].before <= i; ++next) {
      date = dates[next].utc;
    }
    if (!fixes[i].place) {
      log_.leave_out("positions without a fix");
      continue;
    }
    const Nanoseconds at =
        dates.empty() && date == Nanoseconds{0} ? fixes[i].of_day : nearest_day(fixes[i].of_day, date);
    date = at;
    log_.add(name, at, *fixes[i].place, fixes[i].line);
  }
  return log_.finish("has no positions: neither GGA nor RMC sentences with a fix");
}

}  // namespace

TrackLog parse_nmea(std::string_view text, const std::string& file) {
  return NmeaReader(file).read(text);
}

}  // namespace hilgate
