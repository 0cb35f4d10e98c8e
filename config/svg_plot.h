// SPDX-License-Identifier: Apache-2.0
// Plots as SVG elements, for pages of their own and for the reports' pages, whose style sheets colour the classes
// `grid` and `frame`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace hilgate {

/// The least of 1, 2 and 5 times a power of ten that is not below `value`, which is positive.
double round_up(double value);

/// Within a picture.
struct PlotBox {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

struct PlotAxis {
  double least = 0;
  double most = 1;           // above `least`
  double steps = 5;          // at most so many, of round length; logarithmic axes have one for each power of ten
  bool logarithmic = false;  // `least` is positive
  bool has_lines = true;     // through the plot
  std::string_view unit{};   // after each number
};

/// A box with two axes, and what is drawn in it.
class SvgPlot {
 public:
  SvgPlot(const PlotBox& box, const PlotAxis& x, const PlotAxis& y) : box_(box), x_(x), y_(y) {}

  /// Where a value lies in the picture.
  [[nodiscard]] double x(double value) const;
  [[nodiscard]] double y(double value) const;
  /// The frame, with lines and numbers at the axes' steps.
  [[nodiscard]] std::string axes() const;
  /// A line through (x, y).
  [[nodiscard]] std::string line(std::span<const std::pair<double, double>> points, std::string_view colour,
                                 double width = 1.5) const;

 private:
  PlotBox box_;
  PlotAxis x_;
  PlotAxis y_;
};

/// A text at (x, y) of a picture; `look`: further attributes.
std::string svg_text(double x, double y, std::string_view text, std::string_view look = {});

/// A whole picture, on white, which needs no page around it.
std::string svg_picture(double width, double height, std::string_view title, std::string_view content);

}  // namespace hilgate
