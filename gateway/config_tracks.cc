// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "gateway/config_checks.h"
#include "gateway/config_sections.h"

namespace hilgate {
namespace {

constexpr std::string_view kCsvHeader = "at_s,x_m,y_m,z_m";

Vec3 read_position(YamlReader& point) {
  const auto metres = point.list<Metres>("position");
  if (metres.size() != 3) {
    point.fault("position", fmt::format("has {} numbers; x, y and z, for example [0m, 0m, 10m]", metres.size()));
    return {};
  }
  return {metres[0].value, metres[1].value, metres[2].value};
}

std::vector<TrackPoint> read_inline(YamlReader& track) {
  std::vector<TrackPoint> points;
  for (YamlReader& item : track.items()) {
    const SimTime at{item.required<Nanoseconds>("at")};
    if (item.has("at") && at < SimTime{}) {
      item.fault("at", "lies before the start; 0s or later");
    } else if (item.has("at") && !points.empty() && at <= points.back().at) {
      item.fault("at", "is not later than the point before");
    }
    const Vec3 position = item.has("position") ? read_position(item) : (item.required<std::string>("position"), Vec3{});
    points.push_back({at, position});
  }
  return points;
}

/// Four finite numbers with commas; empty when the line is anything else.
std::optional<std::array<double, 4>> parse_row(std::string_view line) {
  std::array<double, 4> numbers{};
  const char* at = line.data();
  const char* end = line.data() + line.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [stop, error] = std::from_chars(at, end, numbers[i]);
    const bool last = i + 1 == numbers.size();
    if (error != std::errc{} || !std::isfinite(numbers[i]) || (last ? stop != end : stop == end || *stop != ',')) {
      return std::nullopt;
    }
    at = last ? stop : stop + 1;
  }
  return numbers;
}

/// The fault with one row of a CSV file, given the row before; empty when it is good.
std::string row_fault(const std::optional<std::array<double, 4>>& row, std::string_view line, double before) {
  constexpr double kLongest = 1e9;  // s, 31 years: far inside what nanoseconds hold
  if (!row) {
    return fmt::format("'{}' is no row of {}", line, kCsvHeader);
  }
  if ((*row)[0] < 0 || (*row)[0] > kLongest) {
    return fmt::format("at_s {} is out of range; 0 to {}", (*row)[0], kLongest);
  }
  return (*row)[0] <= before ? fmt::format("at_s {} is not later than the row before", (*row)[0]) : "";
}

std::vector<TrackPoint> read_csv(YamlReader& track) {
  const auto name = track.required<std::string>("file");
  const auto path = std::filesystem::path(track.file()).parent_path() / name;
  std::ifstream stream(path);
  std::string line;
  if (name.empty() || !std::getline(stream, line)) {
    track.fault("file", fmt::format("'{}' cannot be read; looked for {}", name, path.string()));
    return {};
  }
  if (line != kCsvHeader) {
    track.fault(Fault{path.string(), 1, "", fmt::format("'{}' is no header; {} belongs here", line, kCsvHeader)});
    return {};
  }
  std::vector<TrackPoint> points;
  double before = -1;
  for (int number = 2; std::getline(stream, line); ++number) {
    const auto row = parse_row(line);
    if (const std::string fault = row_fault(row, line, before); !fault.empty()) {
      track.fault(Fault{path.string(), number, "", fault});
      continue;
    }
    before = (*row)[0];
    points.push_back({SimTime{Nanoseconds{std::llround(before * 1e9)}}, {(*row)[1], (*row)[2], (*row)[3]}});
  }
  if (points.empty()) {
    track.fault("file", fmt::format("'{}' has no rows; a track needs at least one", name));
  }
  return points;
}

}  // namespace

std::vector<TrackPoint> read_track(YamlReader& track) {
  if (track.is_map()) {
    return read_csv(track);
  }
  auto points = read_inline(track);
  if (track.is_sequence() && points.empty()) {
    track.fault("is empty; a track needs at least one point");
  }
  return points;
}

}  // namespace hilgate
