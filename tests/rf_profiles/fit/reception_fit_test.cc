// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fit/reception_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "rf_profiles/errors/link_spread.h"

namespace hilgate::test {
namespace {

double loss_of(double level_db) {
  return 1 / (1 + std::exp(level_db - 5));
}

// Links of levels 0 to 10 dB, 300 frames each. With `in_bursts` a frame is lost as the one before it was, nine times of
// ten.
MeasuredLog frames_over_links(bool in_bursts) {
  MeasuredLog log{.rows = {}, .is_snr = true, .paths = 110};
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform;
  for (std::size_t path = 0; path < log.paths; ++path) {
    const double level_db = static_cast<double>(path % 11);
    bool received = true;
    for (int i = 0; i < 300; ++i) {
      if (!in_bursts || uniform(random) < 0.1) {
        received = uniform(random) >= loss_of(level_db);
      }
      MeasuredRow row{.pair = {}, .received = received, .path = path};
      if (received) {
        row.level_db = level_db;
      }
      log.rows.push_back(row);
    }
  }
  return log;
}

TEST(ReceptionFit, FindsTheLossOfEachLevel) {
  const auto fit = fit_reception(frames_over_links(false));
  ASSERT_TRUE(fit);
  ASSERT_EQ(fit->bins.size(), 11u);
  for (std::size_t i = 0; i < fit->bins.size(); ++i) {
    EXPECT_NEAR(fit->bins[i].loss, loss_of(fit->bins[i].level_db), 0.03);
    EXPECT_TRUE(i == 0 || fit->bins[i].loss <= fit->bins[i - 1].loss);
  }
  EXPECT_LT(fit->error_points, 5);
  ASSERT_TRUE(fit->after_loss);
  EXPECT_NEAR(*fit->after_loss, fit->expected_after_loss, 0.03);
}

TEST(ReceptionFit, DetectsBurstsOfLosses) {
  const auto fit = fit_reception(frames_over_links(true));
  ASSERT_TRUE(fit && fit->after_loss);
  EXPECT_GT(*fit->after_loss, fit->expected_after_loss + 0.1);
}

// Paths that differ at one level, by a share of 0.8, and lose frames by themselves.
MeasuredLog paths_that_differ() {
  MeasuredLog log{.rows = {}, .is_snr = true, .paths = 2200};
  const LinkSpread spread{.share = 0.8, .frame_bits = 1, .seed = 3};
  std::mt19937 random(6);
  std::uniform_real_distribution<double> uniform;
  for (std::size_t path = 0; path < log.paths; ++path) {
    const double level_db = static_cast<double>(path / 2 % 11);
    const double hazard = -std::log1p(-loss_of(level_db));
    const double loss = -std::expm1(-spread.hazard(hazard, spread.own(static_cast<std::uint32_t>(path))));
    for (int i = 0; i < 60; ++i) {
      const bool received = uniform(random) >= loss;
      MeasuredRow row{.pair = {}, .received = received, .path = path};
      if (received) {
        row.level_db = level_db;
      }
      log.rows.push_back(row);
    }
  }
  return log;
}

TEST(ReceptionFit, FindsHowPathsDiffer) {
  const auto fit = fit_reception(paths_that_differ());
  ASSERT_TRUE(fit && fit->path_share);
  EXPECT_NEAR(*fit->path_share, 0.8, 0.1);
  EXPECT_LT(fit->after_loss_points, 5);
  EXPECT_GT(*fit->after_loss, fit->expected_after_loss + 0.1);
  const auto alike = fit_reception(frames_over_links(false));
  ASSERT_TRUE(alike && alike->path_share);
  EXPECT_LT(*alike->path_share, 0.05);
}

TEST(ReceptionFit, CountsFramesOfUnknownLevelApart) {
  MeasuredLog log = frames_over_links(false);
  const std::size_t before = fit_reception(log)->without_level;
  for (MeasuredRow& row : log.rows) {
    if (row.path == 10) {
      row.received = false;
      row.level_db.reset();
    }
  }
  EXPECT_EQ(fit_reception(log)->without_level, before + 300);
  for (MeasuredRow& row : log.rows) {
    row.received.reset();
  }
  EXPECT_FALSE(fit_reception(log));
}

}  // namespace
}  // namespace hilgate::test
