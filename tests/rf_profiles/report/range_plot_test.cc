// SPDX-License-Identifier: Apache-2.0
// `hilgate radio plot` of every profile against golden data; and that the picture shows the data.
#include "rf_profiles/report/link_report.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "rf_profiles/profile/profile_loader.h"
#include "tests/rf_profiles/golden.h"

namespace hilgate::test {
namespace {

const std::string kProfiles = HILGATE_SOURCE_DIR "/rf_profiles/profiles";
constexpr std::size_t kEvery = 10;  // points

RangePlot plot_of(const std::string& file) {
  return plot_range(load_radio_profile(file), {});
}

TEST(RangePlot, EveryProfileIsAsTheGoldenData) {
  GoldenTables tables;
  for (const auto& entry : std::filesystem::directory_iterator(kProfiles)) {
    const RangePlot plot = plot_of(entry.path().string());
    GoldenTable& table = tables[entry.path().stem().string()];
    for (std::size_t i = 0; i < plot.distance_m.size(); i += kEvery) {
      table["distance_m"].push_back(plot.distance_m[i]);
      for (const RangeCurve& curve : plot.curves) {
        table["error_rate " + curve.name].push_back(curve.error_rate[i]);
      }
    }
  }
  expect_golden(HILGATE_SOURCE_DIR "/tests/rf_profiles/golden/range.json", tables, 1e-5, 1e-5);
}

/// All numbers in a text.
std::vector<double> numbers(const std::string& text) {
  static const std::regex kNumber("-?[0-9]+(\\.[0-9]+)?");
  std::vector<double> found;
  for (std::sregex_iterator at(text.begin(), text.end(), kNumber), end; at != end; ++at) {
    found.push_back(std::stod(at->str()));
  }
  return found;
}

TEST(RangePlot, ThePictureIsDrawnFromTheData) {
  const RangePlot plot = plot_of(kProfiles + "/wifi_11n_2g4_adhoc.yaml");
  const std::string svg = range_svg(plot);
  std::smatch frame;
  ASSERT_TRUE(std::regex_search(svg, frame, std::regex("<rect x='(\\d+)' y='(\\d+)' width='(\\d+)' height='(\\d+)'")));
  const double left = std::stod(frame[1]), top = std::stod(frame[2]);
  const double width = std::stod(frame[3]), height = std::stod(frame[4]);
  const double decades = std::log10(plot.distance_m.back() / plot.distance_m.front());
  const std::regex line("<polyline points='([^']*)'");
  std::size_t drawn = 0;
  for (std::sregex_iterator at(svg.begin(), svg.end(), line), end; at != end; ++at, ++drawn) {
    ASSERT_LT(drawn, plot.curves.size());
    const std::vector<double> points = numbers((*at)[1]);
    ASSERT_EQ(points.size(), 2 * plot.distance_m.size());
    for (std::size_t i = 0; i < plot.distance_m.size(); ++i) {
      const double along = std::log10(plot.distance_m[i] / plot.distance_m.front()) / decades;
      EXPECT_NEAR(points[2 * i], left + width * along, 0.06);
      EXPECT_NEAR(points[2 * i + 1], top + height * (1 - plot.curves[drawn].error_rate[i]), 0.06);
    }
  }
  EXPECT_EQ(drawn, plot.curves.size());
  for (const RangeCurve& curve : plot.curves) {
    EXPECT_NE(svg.find(">" + curve.name), std::string::npos) << curve.name;
  }
}

}  // namespace
}  // namespace hilgate::test
