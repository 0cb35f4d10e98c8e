// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fit/log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <vector>

#include "config/config_file.h"
#include "config/plain_text.h"
#include "config/table_text.h"

namespace hilgate {
namespace {

constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);
constexpr double kFarthest = 1e8;  // m, of any coordinate
constexpr std::size_t kMostFaults = 20;

/// Metres east and north of a place, for links that are short against the earth (a sphere of 6371.0088 km).
struct Place {
  double x_m = 0, y_m = 0;
};

class LogReader {
 public:
  LogReader(const std::string& file, const LogColumns& columns) : file_(file), columns_(columns) {}
  MeasuredLog read(std::string_view text);

 private:
  void read_header(std::string_view line);
  std::size_t index_of(const std::string& name) const;
  void read_line(std::string_view line);
  [[nodiscard]] bool has(LogValue value) const { return at_[static_cast<std::size_t>(value)] != kAbsent; }
  std::string_view field(LogValue value) const;
  double number(LogValue value, double least, double most) const;
  std::optional<double> level() const;
  bool received() const;
  void add_place(MeasuredRow& row);
  [[nodiscard]] Place place() const;
  void begin_path(MeasuredRow& row);
  void check_time(const MeasuredRow& row) const;

  std::string file_;
  const LogColumns& columns_;
  std::array<std::size_t, kLogValues> at_{};
  std::vector<std::string_view> fields_;
  char separator_ = ',';
  int line_ = 0;
  MeasuredLog log_;
  std::map<std::string, std::size_t, std::less<>> paths_;
  Place last_{};
  double last_height_m_ = 0;
  double last_distance_m_ = 0;
  std::vector<Fault> faults_;
};

MeasuredLog LogReader::read(std::string_view text) {
  text = without_byte_order_mark(text);
  for (std::size_t begin = 0; begin < text.size() && faults_.size() < kMostFaults;) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trimmed(text.substr(begin, end - begin), "\r");
    begin = end + 1;
    ++line_;
    try {
      if (line_ == 1) {
        read_header(line);
      } else if (!bare(line).empty()) {
        read_line(line);
      }
    } catch (const std::invalid_argument& error) {
      faults_.push_back({file_, line_, "", error.what()});
      if (line_ == 1) {
        break;
      }
    }
  }
  if (line_ == 0) {
    faults_.push_back({file_, 0, "", "is empty; expected a header and rows"});
  }
  if (!faults_.empty()) {
    throw ConfigError(std::move(faults_));
  }
  log_.paths = std::max<std::size_t>(paths_.size(), 1);
  return std::move(log_);
}

void LogReader::read_header(std::string_view line) {
  separator_ = separator_of(line);
  fields_ = fields_of(line, separator_);
  for (std::size_t i = 0; i < kLogValues; ++i) {
    at_[i] = columns_.named[i].empty() ? kAbsent : index_of(columns_.named[i]);
  }
  log_.is_snr = has(LogValue::kSnr);
  log_.has_times = has(LogValue::kTime);
  log_.has_positions = !has(LogValue::kDistance);
  if (log_.has_positions && !columns_.other_end) {
    throw std::invalid_argument("positions need the place of the other end: --at X,Y or X,Y,HEIGHT");
  }
  log_.has_heights = log_.has_positions && has(LogValue::kZ) && columns_.other_end->height_m;
}

std::size_t LogReader::index_of(const std::string& name) const {
  if (name.starts_with('#')) {
    const std::optional<double> index = finite_number(std::string_view(name).substr(1));
    if (!index || *index < 1 || *index > 10'000 || *index != std::floor(*index)) {
      throw std::invalid_argument(fmt::format("'{}' is no column; columns are #1, #2, ...", shown(name)));
    }
    return static_cast<std::size_t>(*index) - 1;
  }
  const auto found = std::find(fields_.begin(), fields_.end(), name);
  if (found == fields_.end()) {
    std::string present;
    for (const std::string_view field : fields_) {
      present += (present.empty() ? "" : ", ") + std::string(field);
    }
    throw std::invalid_argument(fmt::format("has no column '{}'; the columns are {}", shown(name), present));
  }
  return static_cast<std::size_t>(found - fields_.begin());
}

std::string_view LogReader::field(LogValue value) const {
  const std::size_t at = at_[static_cast<std::size_t>(value)];
  if (at >= fields_.size()) {
    throw std::invalid_argument(
        fmt::format("has {} fields, but {} is field {}", fields_.size(), name_of(value), at + 1));
  }
  return fields_[at];
}

double LogReader::number(LogValue value, double least, double most) const {
  const std::string_view text = field(value);
  const std::optional<double> parsed = measured_number(text);
  if (!parsed) {
    throw std::invalid_argument(fmt::format("{} '{}' is no number", name_of(value), text));
  }
  if (*parsed < least || *parsed > most) {
    throw std::invalid_argument(
        fmt::format("{} '{}' is out of range; allowed: {:g} to {:g}", name_of(value), text, least, most));
  }
  return *parsed;
}

std::optional<double> LogReader::level() const {
  const LogValue which = log_.is_snr ? LogValue::kSnr : LogValue::kLevel;
  const std::string_view text = field(which);
  if (is_gap(text)) {
    return std::nullopt;
  }
  constexpr double kMost = 300;  // dB
  const double value = number(which, -kMost, kMost);
  return columns_.no_level && value == *columns_.no_level ? std::nullopt : std::optional{value};
}

bool LogReader::received() const {
  const std::string_view text = field(LogValue::kReceived);
  for (const std::string_view yes : {"1", "true", "yes", "received"}) {
    if (text == yes) {
      return true;
    }
  }
  for (const std::string_view no : {"0", "false", "no", "lost"}) {
    if (text == no) {
      return false;
    }
  }
  throw std::invalid_argument(
      fmt::format("received '{}' is neither 1, true, yes, received nor 0, false, no, lost", shown(text)));
}

Place LogReader::place() const {
  const OtherEnd& other = *columns_.other_end;
  if (!has(LogValue::kLat)) {
    return {number(LogValue::kX, -kFarthest, kFarthest) - other.x,
            number(LogValue::kY, -kFarthest, kFarthest) - other.y};
  }
  constexpr double kEarth = 6'371'008.8;  // m
  constexpr double kRadians = std::numbers::pi / 180;
  const double north = (number(LogValue::kLat, -90, 90) - other.x) * kRadians;
  const double east = std::remainder(number(LogValue::kLon, -180, 180) - other.y, 360.0) * kRadians;
  return {kEarth * east * std::cos(other.x * kRadians), kEarth * north};
}

void LogReader::add_place(MeasuredRow& row) {
  const bool begins = log_.rows.empty() || log_.rows.back().path != row.path;
  const double before_m = begins ? 0 : log_.rows.back().moved_m;
  if (!log_.has_positions) {
    const double distance_m = number(LogValue::kDistance, 0, kFarthest);
    row.pair = {.d2d_m = distance_m, .d3d_m = distance_m};
    row.moved_m = before_m + (begins ? 0 : std::abs(distance_m - last_distance_m_));
    last_distance_m_ = distance_m;
    return;
  }
  const Place here = place();
  const double height_m = has(LogValue::kZ) ? number(LogValue::kZ, -kFarthest, kFarthest) : 0;
  const double other_m = log_.has_heights ? *columns_.other_end->height_m : height_m;
  row.pair = pair_between(std::hypot(here.x_m, here.y_m), height_m, other_m);
  const double step_m = std::hypot(here.x_m - last_.x_m, here.y_m - last_.y_m, height_m - last_height_m_);
  row.moved_m = before_m + (begins ? 0 : step_m);
  last_ = here;
  last_height_m_ = height_m;
}

void LogReader::begin_path(MeasuredRow& row) {
  const std::string name = has(LogValue::kPath) ? std::string(field(LogValue::kPath)) : "";
  const auto [entry, is_new] = paths_.emplace(name, paths_.size());
  row.path = entry->second;
  if (!is_new && !log_.rows.empty() && log_.rows.back().path != row.path) {
    throw std::invalid_argument(
        fmt::format("path '{}' continues after another one; the rows of a path must be together", shown(name)));
  }
}

void LogReader::check_time(const MeasuredRow& row) const {
  if (log_.rows.empty() || log_.rows.back().path != row.path || row.time_s >= log_.rows.back().time_s) {
    return;
  }
  throw std::invalid_argument(
      fmt::format("time {:.10g} is before {:.10g} of line {}; sort the rows by time, or name the column "
                  "that tells paths apart (path=NAME)",
                  row.time_s, log_.rows.back().time_s, log_.rows.back().line));
}

void LogReader::read_line(std::string_view line) {
  fields_ = fields_of(line, separator_);
  MeasuredRow row{.line = line_, .pair = {}};
  begin_path(row);
  if (log_.has_times) {
    row.time_s = number(LogValue::kTime, -1e18, 1e18);
    check_time(row);
  }
  row.level_db = level();
  if (has(LogValue::kReceived)) {
    row.received = received();
  }
  add_place(row);
  log_.rows.push_back(row);
}

}  // namespace

MeasuredLog read_measured_log(std::string_view text, const std::string& file, const LogColumns& columns) {
  return LogReader(file, columns).read(text);
}

}  // namespace hilgate
