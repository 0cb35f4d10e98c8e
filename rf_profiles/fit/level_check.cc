// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fit/level_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>

namespace hilgate {
namespace {

constexpr double kResolution = 0.05;  // dB

std::vector<MeasuredRow> rows_with_level(const MeasuredLog& log) {
  std::vector<MeasuredRow> out;
  for (const MeasuredRow& row : log.rows) {
    if (row.level_db) {
      out.push_back(row);
    }
  }
  return out;
}

double median_around(const std::vector<MeasuredRow>& rows, std::size_t at) {
  constexpr std::size_t kReach = 5;
  std::vector<double> near;
  for (std::size_t i = at >= kReach ? at - kReach : 0; i <= at + kReach && i < rows.size(); ++i) {
    if (rows[i].path == rows[at].path) {
      near.push_back(rows[i].level_db.value_or(0));
    }
  }
  std::sort(near.begin(), near.end());
  return near[near.size() / 2];
}

void leave_out_outliers(CheckedLevels& checked, const std::string& row_name) {
  constexpr double kFar = 20;  // dB
  std::vector<MeasuredRow> kept;
  for (std::size_t i = 0; i < checked.rows.size(); ++i) {
    const MeasuredRow& row = checked.rows[i];
    const double usual = median_around(checked.rows, i);
    if (std::abs(row.level_db.value_or(0) - usual) <= kFar) {
      kept.push_back(row);
    } else if (++checked.outliers == 1) {
      checked.notes.push_back(
          fmt::format("outliers are left out; the first is {} {}: {:g} dB, where the rows around it have {:g} dB",
                      row_name, row.line, *row.level_db, usual));
    }
  }
  checked.rows = std::move(kept);
}

using LevelCounts = std::map<long, std::size_t>;  // by multiples of kResolution

LevelCounts count_levels(const std::vector<MeasuredRow>& rows) {
  LevelCounts counts;
  for (const MeasuredRow& row : rows) {
    ++counts[std::lround(row.level_db.value_or(0) / kResolution)];
  }
  return counts;
}

double step_of(const LevelCounts& counts) {
  long least = 0;
  for (auto next = counts.begin(), level = next++; next != counts.end(); level = next++) {
    const long step = next->first - level->first;
    least = least == 0 ? step : std::min(least, step);
  }
  return least > 1 ? static_cast<double>(least) * kResolution : 0;
}

// An end of the range that many rows have and few have next to it.
std::optional<double> saturated(const LevelCounts& counts, std::size_t rows, double step_db, bool high) {
  constexpr double kLeastShare = 0.03;
  constexpr std::size_t kPile = 4;  // times as many as next to it, within 2 dB or the next step; of finer steps 0.5 dB
  const long reach = std::lround(std::max(step_db < 1 ? 0.5 : 2.0, 1.5 * step_db) / kResolution);
  const long end = high ? counts.rbegin()->first : counts.begin()->first;
  const std::size_t at_end = counts.at(end);
  std::size_t next = 0;
  for (const auto& [level, count] : counts) {
    next += level != end && std::abs(level - end) <= reach ? count : 0;
  }
  const bool piles = static_cast<double>(at_end) >= kLeastShare * static_cast<double>(rows) && at_end >= kPile * next;
  return piles ? std::optional{static_cast<double>(end) * kResolution} : std::nullopt;
}

// Beyond which of the distances nearly all saturated rows lie.
double edge_of(const std::vector<MeasuredRow>& rows, double level_db, bool high) {
  constexpr double kTail = 0.05;
  std::vector<double> at_m;
  for (const MeasuredRow& row : rows) {
    if (std::abs(row.level_db.value_or(0) - level_db) < kResolution) {
      at_m.push_back(row.pair.d3d_m);
    }
  }
  std::sort(at_m.begin(), at_m.end());
  const auto last = static_cast<double>(at_m.size() - 1);
  return at_m[static_cast<std::size_t>((high ? 1 - kTail : kTail) * last)];
}

void leave_out_saturated(CheckedLevels& checked, const LevelCounts& counts, bool high) {
  const std::optional<double> level = saturated(counts, checked.rows.size(), checked.step_db, high);
  if (!level) {
    return;
  }
  const double edge_m = edge_of(checked.rows, *level, high);
  const std::size_t before = checked.rows.size();
  std::erase_if(checked.rows, [&](const MeasuredRow& row) {
    return std::abs(row.level_db.value_or(0) - *level) < kResolution ||
           (high ? row.pair.d3d_m <= edge_m : row.pair.d3d_m >= edge_m);
  });
  checked.at_saturation += before - checked.rows.size();
  checked.notes.push_back(
      fmt::format("the level saturates at {:g} dB; rows {} {:.4g} m are left out, and the log does "
                  "not say what the level is there",
                  *level, high ? "up to" : "from", edge_m));
}

}  // namespace

CheckedLevels check_levels(const MeasuredLog& log) {
  CheckedLevels checked;
  checked.rows = rows_with_level(log);
  checked.without_level = log.rows.size() - checked.rows.size();
  leave_out_outliers(checked, log.row_name);
  const LevelCounts counts = count_levels(checked.rows);
  if (counts.size() < 2) {
    throw std::runtime_error(counts.empty()
                                 ? "has no row with a level"
                                 : "has one level only; nothing can be learned from a level that does not vary");
  }
  checked.step_db = step_of(counts);
  if (checked.step_db >= 1) {
    checked.notes.push_back(
        fmt::format("levels are whole multiples of {:g} dB: variation below {:.2g} dB (step / sqrt 12) is not seen",
                    checked.step_db, checked.step_db / std::sqrt(12.0)));
  }
  leave_out_saturated(checked, counts, true);
  leave_out_saturated(checked, counts, false);
  return checked;
}

}  // namespace hilgate
