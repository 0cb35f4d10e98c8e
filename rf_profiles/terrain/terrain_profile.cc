// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/terrain/terrain_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>

#include "config/config_file.h"
#include "config/nearest.h"
#include "config/plain_text.h"
#include "rf_profiles/propagation/diffraction.h"

namespace hilgate {
namespace {

constexpr TerrainLimits kGround{-500, 9000, "m"};
constexpr TerrainLimits kCover{0, 500, "m"};
constexpr std::array<std::string_view, 3> kZoneNames = {"sea", "coast", "inland"};

/// Reads the rows of one file; faults are collected.
class ProfileRows {
 public:
  explicit ProfileRows(std::string file) : file_(std::move(file)) {}

  void line(const std::string& text) {
    ++number_;
    if (text.empty() || text.front() == '#') {
      return;
    }
    const std::vector<std::string> fields = parts_of(text, ',');
    if (columns_.empty()) {
      header(fields);
    } else if (fields.size() != columns_.size()) {
      fault(fmt::format("has {} fields; the header has {}", fields.size(), columns_.size()));
    } else {
      row(fields);
    }
  }

  TerrainProfile finish() {
    constexpr std::size_t kLeast = 2;
    if (faults_.empty() && distance_m_.size() < kLeast) {
      fault(fmt::format("has {} heights; at least {}", distance_m_.size(), kLeast));
    }
    if (!faults_.empty()) {
      throw ConfigError(std::move(faults_));
    }
    if (!(distance_m_.back() > 0)) {
      fault("distance_m: the path ends at 0 m; distances rise from 0");
      throw ConfigError(std::move(faults_));
    }
    profile_.step_m = distance_m_.back() / static_cast<double>(distance_m_.size() - 1);
    require_equal_steps();
    return std::move(profile_);
  }

 private:
  void header(const std::vector<std::string>& fields) {
    columns_ = fields;
    for (const std::string& column : fields) {
      static const std::vector<std::string> kColumns = {"distance_m", "height_m", "cover_m", "zone"};
      if (std::find(kColumns.begin(), kColumns.end(), column) == kColumns.end()) {
        fault(fmt::format("the column '{}' is unknown; {}", column, hint_for(column, kColumns)));
      }
    }
    for (const char* const needed : {"distance_m", "height_m"}) {
      if (std::count(fields.begin(), fields.end(), needed) != 1) {
        fault(fmt::format("the header needs one column '{}'; example: distance_m,height_m", needed));
      }
    }
  }

  void row(const std::vector<std::string>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::string& column = columns_[i];
      if (column == "zone") {
        zone(fields[i]);
      } else if (column == "distance_m") {
        add(distance_m_, {column, fields[i]}, {0, 1e7, "m"});
      } else if (column == "height_m") {
        add(profile_.height_m, {column, fields[i]}, kGround);
      } else if (column == "cover_m") {
        add(profile_.cover_m, {column, fields[i]}, kCover);
      }
    }
    lines_.push_back(number_);
  }

  struct Field {
    std::string_view column;
    std::string_view text;
  };
  void add(std::vector<double>& values, const Field& field, const TerrainLimits& allowed) {
    const std::optional<double> value = finite_number(field.text);
    if (!value) {
      fault(fmt::format("{}: '{}' is not a number", field.column, field.text));
    } else if (*value < allowed.low || *value > allowed.high) {
      fault(
          fmt::format("{}: {} is out of range; allowed: {} to {} m", field.column, *value, allowed.low, allowed.high));
    }
    values.push_back(value.value_or(0));
  }

  void zone(const std::string& text) {
    const auto* const name = std::find(kZoneNames.begin(), kZoneNames.end(), text);
    if (name == kZoneNames.end()) {
      fault(fmt::format("zone: '{}' is unknown; allowed: {}", shown(text), fmt::join(kZoneNames, ", ")));
      return;
    }
    profile_.zone.push_back(static_cast<TerrainZone>(name - kZoneNames.begin()));
  }

  void require_equal_steps() {
    constexpr double kSlack = 0.01;  // of a step, for distances that were rounded
    const double step_m = profile_.step_m;
    for (std::size_t i = 0; i < distance_m_.size(); ++i) {
      const double expected_m = step_m * static_cast<double>(i);
      if (std::abs(distance_m_[i] - expected_m) > kSlack * step_m) {
        number_ = lines_[i];
        fault(fmt::format("distance_m: {}; with {} heights at equal steps over {} m it must be {:.6g}", distance_m_[i],
                          distance_m_.size(), distance_m_.back(), expected_m));
        throw ConfigError(std::move(faults_));
      }
    }
  }

  void fault(std::string text) { faults_.push_back({file_, number_, "", std::move(text)}); }

  std::string file_;
  int number_ = 0;
  std::vector<std::string> columns_;
  std::vector<double> distance_m_;
  std::vector<int> lines_;  // of each row
  std::vector<Fault> faults_;
  TerrainProfile profile_;
};

}  // namespace

TerrainProfile read_terrain_profile(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) {
    throw ConfigError({{file, 0, "", fmt::format("cannot be read: {}", std::strerror(errno))}});
  }
  ProfileRows rows(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    rows.line(line);
  }
  return rows.finish();
}

void require_profile(std::string_view model, const TerrainProfile& profile, std::size_t least) {
  const std::size_t heights = profile.height_m.size();
  if (heights < least) {
    throw std::runtime_error(fmt::format("{}: the terrain profile has {} heights; at least {}", model, heights, least));
  }
  if (!(profile.step_m > 0)) {
    throw std::runtime_error(
        fmt::format("{}: the step of the terrain profile is {} m; it must be above 0", model, profile.step_m));
  }
  for (const std::size_t given : {profile.cover_m.size(), profile.zone.size()}) {
    if (given != 0 && given != heights) {
      throw std::runtime_error(
          fmt::format("{}: the terrain profile has {} heights and {} covers and {} zones; each "
                      "height has one, or none has",
                      model, heights, profile.cover_m.size(), profile.zone.size()));
    }
  }
  for (const double height_m : profile.height_m) {
    require_within(model, "height of the ground", height_m, kGround);
  }
  for (const double cover_m : profile.cover_m) {
    require_within(model, "height of the ground cover", cover_m, kCover);
  }
}

void require_within(std::string_view model, std::string_view what, double value, const TerrainLimits& allowed) {
  if (!(value >= allowed.low && value <= allowed.high)) {
    const std::string unit = allowed.unit.empty() ? "" : fmt::format(" {}", allowed.unit);
    throw std::runtime_error(fmt::format("{}: the {} is {}{}; allowed: {} to {}{}", model, what, value, unit,
                                         allowed.low, allowed.high, unit));
  }
}

namespace {

constexpr double kLeastSteps = 4;
constexpr double kMostSteps = 1999;

double steps_between(const HeightGrid& ground, double flat_m) {
  return std::clamp(std::ceil(flat_m / ground.layout().step_m), kLeastSteps, kMostSteps);
}

}  // namespace

TerrainProfile ground_profile(const HeightGrid& ground, const Vec3& from, const Vec3& to) {
  constexpr double kLowest = -500;   // m, what a profile may have; the curve of the earth rounds
  constexpr double kHighest = 9000;  // likewise
  const double flat_m = std::hypot(to.x - from.x, to.y - from.y);
  const double steps = steps_between(ground, flat_m);
  TerrainProfile profile;
  profile.step_m = flat_m / steps;
  for (int i = 0; i <= static_cast<int>(steps); ++i) {
    const double x = std::lerp(from.x, to.x, i / steps);
    const double y = std::lerp(from.y, to.y, i / steps);
    profile.height_m.push_back(std::clamp(ground.above_sea(x, y), kLowest, kHighest));
  }
  return profile;
}

Decibels ground_edge_loss(const HeightGrid& ground, const Vec3& from, const Vec3& to, Hertz frequency) {
  const double flat_m = std::hypot(to.x - from.x, to.y - from.y);
  if (!(flat_m > 0)) {
    return {};
  }
  const double steps = steps_between(ground, flat_m);
  double steepest_from = -std::numeric_limits<double>::infinity();
  double steepest_to = steepest_from;
  for (int i = 1; i < static_cast<int>(steps); ++i) {
    const double share = i / steps;
    const double height_m = ground.at(std::lerp(from.x, to.x, share), std::lerp(from.y, to.y, share));
    steepest_from = std::max(steepest_from, (height_m - from.z) / (share * flat_m));
    steepest_to = std::max(steepest_to, (height_m - to.z) / ((1 - share) * flat_m));
  }
  const double direct = (to.z - from.z) / flat_m;
  if (steepest_from <= direct) {
    return {};
  }
  const double edge_m = (to.z - from.z + steepest_to * flat_m) / (steepest_from + steepest_to);
  const double above_line_m = (steepest_from - direct) * edge_m;
  return knife_edge_loss(edge_parameter(above_line_m, edge_m, flat_m - edge_m, frequency));
}

}  // namespace hilgate
