// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "config/plain_text.h"
#include "physics_link/tracklog/log_formats.h"

namespace hilgate {
namespace {

struct MovementsLine {
  std::size_t number = 0;
  std::vector<double> values;
};

/// Whether the line may be groups of so many numbers, each with a time that is after the one before.
bool is_in_groups(const MovementsLine& line, std::size_t group) {
  if (line.values.size() % group != 0) {
    return false;
  }
  for (std::size_t i = group; i < line.values.size(); i += group) {
    if (line.values[i] < line.values[i - group]) {
      return false;
    }
  }
  return line.values[0] >= 0;
}

std::vector<double> movements_numbers(std::string_view line, std::size_t number, LogBuilder& log) {
  std::vector<double> values;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    if (word.empty()) {
      continue;
    }
    const auto value = finite_number(word);
    if (!value || std::abs(*value) > 1e9) {
      log.fault(number, fmt::format("'{}' is no number within 1e9", shown(word)));
      return {};
    }
    values.push_back(*value);
  }
  return values;
}

}  // namespace

TrackLog parse_bonnmotion(std::string_view text, const std::string& file) {
  LogBuilder log(file, "BonnMotion movements", LogClock::kSimulation, LogBuilder::Counts::kLines);
  std::vector<MovementsLine> lines;
  for (std::size_t number = 1; !text.empty() && !log.full(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end), kLogBlanks);
    if (!line.empty() && line[0] != '#') {
      MovementsLine read{number, movements_numbers(line, number, log)};
      if (!read.values.empty()) {
        lines.push_back(std::move(read));
      }
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const auto all_in = [&lines](std::size_t group) {
    return std::ranges::all_of(lines, [group](const MovementsLine& line) { return is_in_groups(line, group); });
  };
  const bool flat = all_in(3);
  if (!flat && !all_in(4)) {
    const auto wrong = std::ranges::find_if(
        lines, [](const MovementsLine& line) { return !is_in_groups(line, 3) && !is_in_groups(line, 4); });
    log.fault(wrong == lines.end() ? lines.front().number : wrong->number,
              "is not, as all lines of one file are, t x y of one node again and again, nor t x y z, with times that "
              "increase");
  } else if (flat && !lines.empty() && all_in(4) && lines.front().values.size() > 3) {
    log.note("may have three numbers or four for each waypoint; three are taken: t x y");
  }
  const std::size_t group = flat ? 3 : 4;
  for (std::size_t node = 0; node < lines.size() && !log.full(); ++node) {
    const std::vector<double>& values = lines[node].values;
    for (std::size_t i = 0; i + group <= values.size() && !log.full(); i += group) {
      log.add(fmt::format("node{}", node), Nanoseconds{std::llround(values[i] * 1e9)},
              Vec3{values[i + 1], values[i + 2], flat ? 0 : values[i + 3]}, lines[node].number);
    }
  }
  return log.finish("has no node");
}

}  // namespace hilgate
