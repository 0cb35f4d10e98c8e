// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "config/plain_text.h"
#include "config/svg_plot.h"

namespace hilgate {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --page: #f4f6f8; --text: #1c2733; --soft: #4a5561; --weak: #66717d; --box: #fff;
  --edge: #e4e8ec; --rule: #eef1f3; --bad: #b3202c; --change: #b86a12; --good: #2c8a4b; }
@media (prefers-color-scheme: dark) { :root { --page: #12171d; --text: #e3e8ee; --soft: #b3bdc8; --weak: #98a3ae;
  --box: #1b222a; --edge: #303a45; --rule: #28313b; --bad: #ff7b84; --change: #eda04b; --good: #63c585; } }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 21px; margin: 36px 0 0; }
h3 { font-size: 16px; margin: 0 0 8px; }
p { margin: 4px 0 12px; color: var(--soft); }
section { background: var(--box); border: 1px solid var(--edge); border-radius: 10px; padding: 18px 20px;
  margin-top: 18px; }
svg { width: 100%; height: auto; display: block; font-size: 12px; fill: var(--weak); }
svg polyline { fill: none; stroke-width: 1.6; } svg .scale { stroke: var(--text); }
svg .grid, svg .frame { stroke: var(--edge); }
svg .mark { stroke: #d98324; stroke-dasharray: 3 3; }
.legend span { margin-right: 16px; white-space: nowrap; }
.legend i { display: inline-block; width: 14px; height: 3px; margin-right: 6px; vertical-align: middle; }
.table { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--weak); font-size: 13px; }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
.warning, .error, .missed, .no { color: var(--bad); font-weight: 600; } .yes { color: var(--good); font-weight: 600; }
.set, .reload { color: var(--change); font-weight: 600; }
)";

}  // namespace

std::string section_of(const std::string& title, const std::string& text, const std::string& body) {
  return body.empty() ? std::string()
                      : fmt::format("<section><h3>{}</h3>{}{}</section>\n", escaped(title),
                                    text.empty() ? "" : fmt::format("<p>{}</p>", escaped(text)), body);
}

std::string row_of(const std::vector<std::string>& cells, const char* tag) {
  std::string html = "<tr>";
  for (const std::string& cell : cells) {
    html += fmt::format("<{0}>{1}</{0}>", tag, cell);
  }
  return html + "</tr>";
}

std::string page_of(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>hilgate: {0}</title>"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><style>{1}</style></head>"
      "<body><main><h1>{0}</h1>\n{2}</main></body></html>\n",
      escaped(title), kStyle, body);
}

namespace {

constexpr std::array kColours = {"#1767a8", "#c8641b", "#2c8a4b", "#b3202c",
                                 "#7a4fa3", "#8a6d1f", "#178a8a", "#66717d"};
constexpr double kWidth = 960, kHeight = 260, kLeft = 62, kRight = 12, kTop = 12, kBottom = 34;

struct Span {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  void take(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  [[nodiscard]] double length() const { return most - least; }
};

Span rounded(Span values, double count) {
  if (!(values.length() >= 0)) {
    values = {0, 1};
  }
  if (values.least > 0 && values.least < 0.7 * values.most) {
    values.least = 0;
  }
  if (values.most < 0 && values.most > 0.3 * values.least) {
    values.most = 0;
  }
  if (values.length() == 0) {
    values.most += values.most == 0 ? 1 : std::abs(values.most) * 0.1;
  }
  const double step = round_up(std::max(values.length(), 1e-12) / count);
  return {std::floor(values.least / step) * step, std::ceil(values.most / step) * step};
}

std::string svg_of(double width, double height, const std::string& content) {
  return fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\">{}</svg>", width, height, content);
}

std::string legend(const std::vector<ChartLine>& lines) {
  std::string html = "<div class=\"legend\">";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    html += fmt::format("<span><i style=\"background:{}\"></i>{}</span>", kColours[i % kColours.size()],
                        escaped(lines[i].name));
  }
  return html + "</div>";
}

}  // namespace

std::string chart_svg(const Chart& chart) {
  Span values;
  Span times{0, std::max(chart.most, 1e-3)};
  for (const ChartLine& line : chart.lines) {
    for (const auto& [x, y] : line.points) {
      values.take(y);
      times.take(x);
    }
  }
  values = rounded(values, 5);
  const SvgPlot plot({kLeft, kTop, kWidth - kLeft - kRight, kHeight - kTop - kBottom},
                     {.least = times.least, .most = times.most, .steps = 10, .has_lines = false},
                     {.least = values.least, .most = values.most});
  std::string svg = plot.axes() + svg_text(kWidth - kRight, kHeight - 4, "time, s", "text-anchor='end'") +
                    fmt::format("<text transform=\"translate(13 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
                                (kHeight - kBottom + kTop) / 2, escaped(chart.y_label));
  for (const auto& [at, text] : chart.marks) {
    svg += fmt::format(
        "<line class=\"mark\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"><title>{3}</title></line>",
        plot.x(at), kTop, kHeight - kBottom, escaped(text));
  }
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    svg += plot.line(chart.lines[i].points, kColours[i % kColours.size()]);
  }
  return svg_of(kWidth, kHeight, svg) + (chart.lines.size() > 1 ? legend(chart.lines) : "");
}

std::string map_svg(const std::vector<ChartLine>& tracks) {
  Span x, y;
  for (const ChartLine& track : tracks) {
    for (const auto& [east, north] : track.points) {
      x.take(east);
      y.take(north);
    }
  }
  if (!(x.length() >= 0)) {
    return {};
  }
  const double metres = std::max({x.length(), y.length(), 1.0});
  const double scale = (kWidth - 2 * kLeft) / metres;
  const double height = std::max(y.length() * scale, 60.0) + 2 * kLeft;
  std::string svg;
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const char* colour = kColours[i % kColours.size()];
    std::string points;
    double px = 0;
    double py = 0;
    for (const auto& [east, north] : tracks[i].points) {
      px = kLeft + (east - x.least) * scale;
      py = height - kLeft - (north - y.least) * scale;
      points += fmt::format("{:.1f},{:.1f} ", px, py);
    }
    svg += fmt::format(
        "<polyline points=\"{}\" stroke=\"{}\"/><circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
        points, colour, px, py, colour, px + 7, py - 5, escaped(tracks[i].name));
  }
  const double bar = round_up(metres / 5);
  svg += fmt::format(
      "<line class=\"scale\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
      "<text x=\"{0:.1f}\" y=\"{3:.1f}\">{4:g} m</text>",
      kLeft, kLeft + bar * scale, height - 18, height - 24, bar);
  return svg_of(kWidth, height, svg);
}

std::string bars_svg(const std::vector<ChartBar>& bars) {
  constexpr double kRow = 24, kNames = 220, kTexts = 220;
  Span values{0, 0};
  for (const ChartBar& bar : bars) {
    values.take(bar.value);
  }
  std::string svg;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double at = kRow * static_cast<double>(i);
    const double length = values.most > 0 ? bars[i].value / values.most * (kWidth - kNames - kTexts) : 0;
    svg += fmt::format(
        "<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>"
        "<rect x=\"{:.0f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"14\" fill=\"{}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
        kNames - 8, at + 16, escaped(bars[i].name), kNames, at + 5, length,
        kColours[static_cast<std::size_t>(bars[i].kind)], kNames + length + 8, at + 16, escaped(bars[i].text));
  }
  return svg_of(kWidth, kRow * static_cast<double>(std::max<std::size_t>(bars.size(), 1)), svg);
}

}  // namespace hilgate
