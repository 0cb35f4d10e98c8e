// SPDX-License-Identifier: Apache-2.0
#include "config/svg_plot.h"

#include <fmt/format.h>

#include <cmath>

#include "config/plain_text.h"

namespace hilgate {
namespace {

constexpr double kAboveZero = 1e-9;  // of a step: what adding up steps may be off

double share_of(const PlotAxis& axis, double value) {
  if (axis.logarithmic) {
    return std::log10(value / axis.least) / std::log10(axis.most / axis.least);
  }
  return (value - axis.least) / (axis.most - axis.least);
}

// To each(value) of the axis that has a number.
template <class Each>
void each_step(const PlotAxis& axis, Each each) {
  if (axis.logarithmic) {
    for (double decade = std::pow(10, std::ceil(std::log10(axis.least) - kAboveZero)); decade <= axis.most;
         decade *= 10) {
      each(decade);
    }
    return;
  }
  const double step = round_up((axis.most - axis.least) / axis.steps);
  const double last = axis.most + kAboveZero * step;
  for (double i = std::ceil(axis.least / step - kAboveZero); i * step <= last; ++i) {
    each(i * step);
  }
}

std::string number(double value, std::string_view unit) {
  return fmt::format("{:.6g}{}{}", value + 0.0, unit.empty() ? "" : " ", unit);
}

}  // namespace

double round_up(double value) {
  const double decade = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * decade >= value * (1 - 1e-9)) {
      return factor * decade;
    }
  }
  return 10 * decade;
}

double SvgPlot::x(double value) const {
  return box_.left + box_.width * share_of(x_, value);
}

double SvgPlot::y(double value) const {
  return box_.top + box_.height * (1 - share_of(y_, value));
}

std::string SvgPlot::axes() const {
  const double right = box_.left + box_.width;
  const double bottom = box_.top + box_.height;
  std::string svg =
      fmt::format("<rect x='{:g}' y='{:g}' width='{:g}' height='{:g}' class='frame' fill='none' stroke='#888'/>\n",
                  box_.left, box_.top, box_.width, box_.height);
  const auto grid = [&svg](double x1, double y1, double x2, double y2) {
    svg += fmt::format("<line class='grid' x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='#ddd'/>", x1, y1, x2,
                       y2);
  };
  each_step(y_, [&](double value) {
    if (y_.has_lines) {
      grid(box_.left, y(value), right, y(value));
    }
    svg += svg_text(box_.left - 6, y(value) + 4, number(value, y_.unit), "text-anchor='end'");
  });
  each_step(x_, [&](double value) {
    if (x_.has_lines) {
      grid(x(value), box_.top, x(value), bottom);
    }
    svg += svg_text(x(value), bottom + 16, number(value, x_.unit), "text-anchor='middle'");
  });
  return svg;
}

std::string SvgPlot::line(std::span<const std::pair<double, double>> points, std::string_view colour,
                          double width) const {
  std::string vertices;
  for (const auto& [along, up] : points) {
    vertices += fmt::format("{:.1f},{:.1f} ", x(along), y(up));
  }
  return fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='{}'/>\n", vertices, colour, width);
}

std::string svg_text(double x, double y, std::string_view text, std::string_view look) {
  return fmt::format("<text x='{:.1f}' y='{:.1f}' {}>{}</text>\n", x, y, look, escaped(text));
}

std::string svg_picture(double width, double height, std::string_view title, std::string_view content) {
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' height='{1:.0f}' "
      "font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' fill='white'/>\n{2}{3}</svg>\n",
      width, height, svg_text(60, 24, title, "font-size='15'"), content);
}

}  // namespace hilgate
