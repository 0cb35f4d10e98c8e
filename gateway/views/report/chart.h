// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Self-contained pages, light or dark as the reader's browser is.

namespace hilgate {

/// The whole page; `body` is HTML.
std::string page_of(const std::string& title, const std::string& body);

/// A box of the page; nothing where `body`, HTML, is empty. An empty `text` is left out.
std::string section_of(const std::string& title, const std::string& text, const std::string& body);

/// A row of a table; cells are HTML.
std::string row_of(const std::vector<std::string>& cells, const char* tag = "td");

}  // namespace hilgate

// Drawings as SVG elements, to be put into a page.

namespace hilgate {

struct ChartLine {
  std::string name;
  std::vector<std::pair<double, double>> points;  // by increasing x in a chart
};

/// Something that happened at an instant.
struct ChartMark {
  double at = 0;
  std::string text;
};

struct Chart {
  std::string y_label;
  std::vector<ChartLine> lines{};
  std::vector<ChartMark> marks{};
  double most = 0;  // the right end of the time axis, s
};

/// Lines over time from 0 s on, with a legend where there are several; the value axis has 0 unless all values are far
/// from it.
std::string chart_svg(const Chart& chart);

/// Ways over ground with one scale for both axes, in metres; a dot where each ends.
std::string map_svg(const std::vector<ChartLine>& tracks);

/// Bars: a name, a value and a text behind the bar.
enum class BarKind : std::size_t { kFigure = 0, kLoss = 3, kComparison = 7 };  // blue, red, grey
struct ChartBar {
  std::string name;
  double value = 0;
  std::string text;
  BarKind kind = BarKind::kLoss;
};
std::string bars_svg(const std::vector<ChartBar>& bars);

}  // namespace hilgate
