// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/report/range_plot.h"

#include <fmt/format.h>

#include <cmath>

namespace hilgate {
namespace {

constexpr int kPoints = 201;
constexpr double kFarthest = 1e6;  // m

/// The distance from which on even the last is lost, rounded up to 1, 2 or 5 times a power of ten.
double end_of_range(const RadioProfile& profile, const RateTable& rates, LinkQuestion question) {
  for (double decade = 1; decade < kFarthest; decade *= 10) {
    for (const double step : {1.0, 2.0, 5.0}) {
      question.distance_m = decade * step;
      if (question.distance_m > 1 && !report_link(profile, rates, question).reachable) {
        return question.distance_m;
      }
    }
  }
  return kFarthest;
}

constexpr double kLeft = 60, kTop = 40, kWidth = 640, kHeight = 320;

double x_of(const RangePlot& plot, double distance_m) {
  const double first = std::log10(plot.distance_m.front());
  return kLeft + kWidth * (std::log10(distance_m) - first) / (std::log10(plot.distance_m.back()) - first);
}

double y_of(double error_rate) {
  return kTop + kHeight * (1 - error_rate);
}

std::string axes(const RangePlot& plot) {
  std::string svg = fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#888'/>\n", kLeft, kTop,
                                kWidth, kHeight);
  for (double decade = 1; decade <= plot.distance_m.back(); decade *= 10) {
    const double x = x_of(plot, decade);
    svg += fmt::format("<line x1='{0:.1f}' y1='{1}' x2='{0:.1f}' y2='{2}' stroke='#ddd'/>", x, kTop, kTop + kHeight);
    svg += fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{:g} m</text>\n", x, kTop + kHeight + 18, decade);
  }
  for (const double rate : {0.0, 0.5, 1.0}) {
    svg += fmt::format("<text x='{}' y='{:.1f}' text-anchor='end'>{:g}</text>\n", kLeft - 8, y_of(rate) + 4, rate);
  }
  return svg;
}

std::string polyline(const RangePlot& plot, std::size_t index) {
  const RangeCurve& curve = plot.curves[index];
  const double hue = 300.0 * static_cast<double>(index) / static_cast<double>(plot.curves.size());
  std::string points;
  for (std::size_t i = 0; i < plot.distance_m.size(); ++i) {
    points += fmt::format("{:.1f},{:.1f} ", x_of(plot, plot.distance_m[i]), y_of(curve.error_rate[i]));
  }
  const std::string colour = fmt::format("hsl({:.0f},70%,40%)", hue);
  return fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='{}'/>\n", points, colour,
                     curve.name == "chosen" ? 3 : 1.5) +
         fmt::format("<text x='{}' y='{}' fill='{}'>{}</text>\n", kLeft + kWidth + 12,
                     kTop + 14 + 18 * static_cast<double>(index), colour, curve.name);
}

}  // namespace

RangePlot plot_range(const RadioProfile& profile, LinkQuestion question) {
  RangePlot plot;
  plot.title = fmt::format("{}: loss of a frame of {} bytes in one try ({})", profile.id, question.frame_bytes,
                           profile.phy.error_model);
  const RateTable rates(profile);
  const double end_m = end_of_range(profile, rates, question);
  for (const std::size_t mode : profile.mac.rate_control.modes) {
    plot.curves.push_back({profile.phy.modes[mode].name, {}});
  }
  plot.curves.push_back({"chosen", {}});
  for (int i = 0; i < kPoints; ++i) {
    question.distance_m = std::pow(end_m, static_cast<double>(i) / (kPoints - 1));
    plot.distance_m.push_back(question.distance_m);
    const LinkReport report = report_link(profile, rates, question);
    std::size_t curve = 0;
    for (const std::size_t index : profile.mac.rate_control.modes) {
      const RadioMode& mode = profile.phy.modes[index];
      const auto bits = static_cast<double>(mode.phy.error_bits(question.frame_bytes));
      plot.curves[curve++].error_rate.push_back(frame_error_rate(mode.hazard(report.snr.value), bits));
    }
    plot.curves[curve].error_rate.push_back(report.reachable ? report.frame_error_rate : 1);
  }
  return plot;
}

std::string range_svg(const RangePlot& plot) {
  std::string svg =
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 820 420' font-family='sans-serif' font-size='12'>\n";
  svg += "<rect width='820' height='420' fill='white'/>\n";
  svg += fmt::format("<text x='{}' y='24' font-size='15'>{}</text>\n", kLeft, plot.title);
  svg += axes(plot);
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    svg += polyline(plot, i);
  }
  return svg + "</svg>\n";
}

}  // namespace hilgate
