// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fit/level_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "tests/rf_profiles/fit/synthetic_log.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;

MeasuredLog spread_log() {
  return fly({.loss_db = [](const PairGeometry& pair) { return 40 + 30 * std::log10(pair.d3d_m); }, .row_sigma_db = 2});
}

TEST(LevelCheck, LeavesOutRowsWithoutALevelAndOutliers) {
  MeasuredLog log = spread_log();
  log.rows[7].level_db.reset();
  *log.rows[100].level_db -= 40;
  const CheckedLevels checked = check_levels(log);
  EXPECT_EQ(checked.rows.size(), log.rows.size() - 2);
  EXPECT_EQ(checked.without_level, 1u);
  EXPECT_EQ(checked.outliers, 1u);
  EXPECT_THAT(checked.notes, testing::Contains(HasSubstr("the first is line 102")));
}

TEST(LevelCheck, LeavesOutDistancesAtWhichTheLevelSaturates) {
  MeasuredLog log = spread_log();
  for (MeasuredRow& row : log.rows) {
    row.level_db = std::min(*row.level_db, -90.0);
  }
  const CheckedLevels checked = check_levels(log);
  EXPECT_GT(checked.at_saturation, 100u);
  EXPECT_THAT(checked.notes, testing::Contains(HasSubstr("the level saturates at -90 dB; rows up to ")));
  double mean = 0;
  for (const MeasuredRow& row : checked.rows) {
    mean += (*row.level_db + 40 + 30 * std::log10(row.pair.d3d_m)) / static_cast<double>(checked.rows.size());
  }
  EXPECT_NEAR(mean, 0, 0.1) << "what is left is no choice of weak rows";
}

// Also where a tenth of the rows has it.
TEST(LevelCheck, SeesAFewSaturatedRows) {
  MeasuredLog log = spread_log();
  std::vector<double> levels;
  for (const MeasuredRow& row : log.rows) {
    levels.push_back(*row.level_db);
  }
  std::ranges::sort(levels);
  const double most = levels[levels.size() * 9 / 10];
  for (MeasuredRow& row : log.rows) {
    row.level_db = std::min(*row.level_db, most);
  }
  EXPECT_GE(check_levels(log).at_saturation, log.rows.size() / 10);
  EXPECT_EQ(check_levels(spread_log()).at_saturation, 0U);
}

TEST(LevelCheck, NamesTheStepOfQuantisedLevels) {
  MeasuredLog log = spread_log();
  for (MeasuredRow& row : log.rows) {
    row.level_db = 3 * std::round(*row.level_db / 3);
  }
  const CheckedLevels checked = check_levels(log);
  EXPECT_NEAR(checked.step_db, 3, 1e-9);
  EXPECT_THAT(checked.notes, testing::Contains(HasSubstr("whole multiples of 3 dB")));
  EXPECT_EQ(check_levels(spread_log()).step_db, 0);
}

TEST(LevelCheck, RefusesALevelThatDoesNotVary) {
  MeasuredLog log = spread_log();
  for (MeasuredRow& row : log.rows) {
    row.level_db = -70;
  }
  EXPECT_THROW(check_levels(log), std::runtime_error);
  for (MeasuredRow& row : log.rows) {
    row.level_db.reset();
  }
  EXPECT_THROW(check_levels(log), std::runtime_error);
}

}  // namespace
}  // namespace hilgate::test
