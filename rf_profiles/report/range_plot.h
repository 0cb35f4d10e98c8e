// SPDX-License-Identifier: Apache-2.0
// Loss of frames against distance, per mode of a profile: as data and as a picture.
#pragma once

#include <string>
#include <vector>

#include "rf_profiles/report/link_report.h"

namespace hilgate {

struct RangeCurve {
  std::string name;                // of the mode; "chosen" for what rate control makes of them
  std::vector<double> error_rate;  // of one try, by RangePlot::distance_m
};

struct RangePlot {
  std::string title;
  std::vector<double> distance_m;  // evenly spaced on a logarithmic axis, 1 m to where nothing is received any more
  std::vector<RangeCurve> curves;
};

/// `question` gives everything but the distance.
RangePlot plot_range(const RadioProfile& profile, LinkQuestion question);

/// A self-contained SVG picture.
std::string range_svg(const RangePlot& plot);

}  // namespace hilgate
