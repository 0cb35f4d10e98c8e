// SPDX-License-Identifier: Apache-2.0
#include "clock/servo/line_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace hilgate {
namespace {

constexpr std::size_t kMostSamples = 512;

// One measurement relative to the newest, small enough for doubles: x and y in ns.
struct Point {
  double x;  // host
  double y;  // wall minus host
};

struct Straight {
  double y0 = 0;
  double slope = 0;
  [[nodiscard]] double miss(const Point& point) const { return point.y - y0 - slope * point.x; }
};

// `slope` is what the line keeps when it is not to be measured. Points further off than `limit` do not count.
Straight least_squares(const std::vector<Point>& points, const Straight& about, double limit, bool measure_slope) {
  double n = 0;
  double sum_x = 0;
  double sum_y = 0;
  for (const Point& point : points) {
    if (std::abs(about.miss(point)) <= limit) {
      n += 1;
      sum_x += point.x;
      sum_y += point.y;
    }
  }
  double xx = 0;
  double xy = 0;
  for (const Point& point : points) {
    if (std::abs(about.miss(point)) <= limit) {
      xx += (point.x - sum_x / n) * (point.x - sum_x / n);
      xy += (point.x - sum_x / n) * (point.y - sum_y / n);
    }
  }
  const double slope = measure_slope && xx > 0 ? xy / xx : about.slope;
  return {(sum_y - slope * sum_x) / n, slope};
}

double median_miss(const std::vector<Point>& points, const Straight& line) {
  std::vector<double> misses;
  for (const Point& point : points) {
    misses.push_back(std::abs(line.miss(point)));
  }
  const auto middle = misses.begin() + static_cast<std::ptrdiff_t>(misses.size() / 2);
  std::nth_element(misses.begin(), middle, misses.end());
  return *middle;
}

}  // namespace

void LineFit::add(const ReferenceSample& sample) {
  if (!samples_.empty() && sample.host <= samples_.back().host) {
    return;
  }
  samples_.push_back(sample);
  while (samples_.size() > kMostSamples || samples_.back().host - samples_.front().host > options_.memory) {
    samples_.pop_front();
  }
  line_ = fit();
}

WallLine LineFit::fit() const {
  const ReferenceSample newest = samples_.back();
  std::vector<Point> points;
  for (const ReferenceSample& sample : samples_) {
    const Nanoseconds x = sample.host - newest.host;
    points.push_back({static_cast<double>(x.count()), static_cast<double>(((sample.wall - newest.wall) - x).count())});
  }
  const bool measure_slope = samples_.back().host - samples_.front().host >= options_.least_span;
  const double kept = line_ ? line_->rate.factor() - 1 : 0;
  constexpr double kAll = std::numeric_limits<double>::infinity();
  const Straight rough = least_squares(points, {0, kept}, kAll, measure_slope);
  // 100 ns: below the resolution of software stamps nothing is an outlier.
  const double limit = std::max(100.0, 4 * 1.4826 * median_miss(points, rough));
  const Straight fine = least_squares(points, rough, limit, measure_slope);
  return {newest.host, newest.wall + Nanoseconds{std::llround(fine.y0)}, ClockRate::from(1 + fine.slope)};
}

}  // namespace hilgate
