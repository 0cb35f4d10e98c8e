// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/map/scene_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "config/plain_text.h"
#include "config/svg_plot.h"
#include "gateway/views/report/chart.h"

namespace hilgate {
namespace {

constexpr double kLeft = 64, kTop = 48, kRight = 236, kBottom = 64;  // of the area, pixels
constexpr double kMostWidth = 780, kMostHeight = 780;
constexpr double kLeastHeight = 260;  // for the legend

constexpr std::array<const char*, kCoverageGrades> kColours = {"#1a7f37", "#5aae4f", "#a6d96a", "#fee08b",
                                                               "#f4955a", "#d73027", "#e4e4e4"};
constexpr std::array<double, kCoverageGrades - 2> kSnrSteps = {30, 20, 15, 10, 5};
constexpr std::array<double, kCoverageGrades - 2> kLossSteps = {0.001, 0.01, 0.05, 0.2, 0.6};
constexpr std::array<const char*, kCoverageGrades> kSnrTexts = {
    "30 dB and more", "20 to 30 dB", "15 to 20 dB", "10 to 15 dB", "5 to 10 dB", "below 5 dB", "out of reach"};
constexpr std::array<const char*, kCoverageGrades> kLossTexts = {
    "below 0.1 %", "0.1 to 1 %", "1 to 5 %", "5 to 20 %", "20 to 60 %", "60 % and more", "out of reach"};

/// From metres to pixels.
class Paper {
 public:
  explicit Paper(const CellGrid& area)
      : area_(area),
        scale_(std::min(kMostWidth / (area.east_m() - area.west_m), kMostHeight / (area.north_m() - area.south_m))) {}

  [[nodiscard]] double x(double east_m) const { return kLeft + (east_m - area_.west_m) * scale_; }
  [[nodiscard]] double y(double north_m) const { return kTop + (area_.north_m() - north_m) * scale_; }
  [[nodiscard]] double pixels(double metres) const { return metres * scale_; }
  [[nodiscard]] double right() const { return x(area_.east_m()); }
  [[nodiscard]] double bottom() const { return y(area_.south_m); }
  [[nodiscard]] double width() const { return right() + kRight; }
  [[nodiscard]] double height() const { return std::max(bottom() + kBottom, kTop + kLeastHeight); }
  [[nodiscard]] const CellGrid& area() const { return area_; }

 private:
  CellGrid area_;
  double scale_;
};

std::string rectangle(const Paper& paper, const Vec3& low, const Vec3& high, std::string_view look) {
  return fmt::format("<rect x='{:.2f}' y='{:.2f}' width='{:.2f}' height='{:.2f}' {}", paper.x(low.x), paper.y(high.y),
                     paper.pixels(high.x - low.x), paper.pixels(high.y - low.y), look);
}

std::string label(double x, double y, std::string_view text, std::string_view look = {}) {
  return fmt::format("<text x='{:.1f}' y='{:.1f}' {}>{}</text>\n", x, y, look, escaped(text));
}

// Cells of a row that are alike are one rectangle.
template <class Alike>
std::string rows_of_cells(const Paper& paper, const CellGrid& grid, const Alike& look_of) {
  std::string svg;
  for (std::size_t row = 0; row < grid.rows; ++row) {
    std::size_t first = 0;
    for (std::size_t column = 1; column <= grid.columns; ++column) {
      const std::string look = look_of(row * grid.columns + first);
      if (column < grid.columns && look_of(row * grid.columns + column) == look) {
        continue;
      }
      const double south = grid.south_m + static_cast<double>(row) * grid.cell_m;
      if (!look.empty()) {
        svg += rectangle(paper, {grid.west_m + static_cast<double>(first) * grid.cell_m, south, 0},
                         {grid.west_m + static_cast<double>(column) * grid.cell_m, south + grid.cell_m, 0}, look) +
               "/>\n";
      }
      first = column;
    }
  }
  return svg;
}

std::string coverage_svg(const Paper& paper, const PicturedCoverage& coverage) {
  const auto look = [&](std::size_t cell) {
    return fmt::format("fill='{}'",
                       kColours.at(static_cast<std::size_t>(coverage_grade(coverage.cells[cell], coverage.value))));
  };
  return "<g id='coverage' shape-rendering='crispEdges'>\n" + rows_of_cells(paper, paper.area(), look) + "</g>\n";
}

std::string plan_svg(const Paper& paper, const GridMap& plan) {
  const CellGrid grid{plan.origin_x_m, plan.origin_y_m, plan.cell_m, plan.width, plan.height};
  const auto look = [&plan](std::size_t cell) {
    return plan.materials[plan.cells[cell]].wall ? std::string("fill='#555'") : std::string();
  };
  return "<g id='plan' shape-rendering='crispEdges'>\n" + rows_of_cells(paper, grid, look) + "</g>\n";
}

std::string obstacles_svg(const Paper& paper, const std::vector<PicturedBox>& obstacles) {
  std::string svg = "<g id='obstacles' fill='#8b6f47' fill-opacity='0.55' stroke='#5c4524'>\n";
  for (const auto& [name, box, material] : obstacles) {
    svg +=
        rectangle(paper, box.low, box.high, "") + fmt::format("><title>{}: {}, {:g} m to {:g} m high</title></rect>\n",
                                                              escaped(name), escaped(material), box.low.z, box.high.z);
  }
  svg += "</g>\n<g font-size='11' fill='#33240c' text-anchor='middle'>\n";
  for (const auto& [name, box, material] : obstacles) {
    svg += label(paper.x((box.low.x + box.high.x) / 2), paper.y((box.low.y + box.high.y) / 2) + 4, name);
  }
  return svg + "</g>\n";
}

std::string buildings_svg(const Paper& paper, const std::vector<PicturedBuilding>& buildings) {
  std::string svg = "<g id='buildings' fill='#8b6f47' fill-opacity='0.55' stroke='#5c4524' fill-rule='evenodd'>\n";
  for (const PicturedBuilding& building : buildings) {
    svg += "<path d='";
    for (const GroundRing& ring : building.rings) {
      for (std::size_t i = 0; i < ring.size(); ++i) {
        svg += fmt::format("{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L', paper.x(ring[i].x), paper.y(ring[i].y));
      }
      svg += 'z';
    }
    svg += fmt::format("'><title>{}: {}, {:.1f} m to {:.1f} m high</title></path>\n", escaped(building.name),
                       escaped(building.material), building.base_m, building.top_m);
  }
  return svg + "</g>\n";
}

std::string track_svg(const Paper& paper, const PicturedTrack& track) {
  std::string points;
  for (const Vec3& each : track.waypoints) {
    points += fmt::format("{:.1f},{:.1f} ", paper.x(each.x), paper.y(each.y));
  }
  const double x = paper.x(track.place.x);
  const double y = paper.y(track.place.y);
  return fmt::format("<polyline points='{}' fill='none' stroke='#1f4e9c' stroke-dasharray='6 3'/>\n", points) +
         fmt::format(
             "<circle cx='{:.1f}' cy='{:.1f}' r='5' fill='#1f4e9c' stroke='white'><title>{} at {:g}, {:g}, {:g} "
             "m</title></circle>\n",
             x, y, escaped(track.name), track.place.x, track.place.y, track.place.z) +
         label(x + 8, y - 6, track.name,
               "fill='#143870' font-weight='bold' paint-order='stroke' stroke='white' stroke-width='3'");
}

std::string access_point_svg(const Paper& paper, const PicturedPoint& point) {
  const double x = paper.x(point.place.x);
  const double y = paper.y(point.place.y);
  return fmt::format(
             "<path d='M{:.1f} {:.1f} l7 12 h-14 z' fill='#8a1c7c' stroke='white'><title>access point {} at "
             "{:g}, {:g}, {:g} m</title></path>\n",
             x, y - 7, escaped(point.name), point.place.x, point.place.y, point.place.z) +
         label(x + 9, y + 14, point.name,
               "fill='#8a1c7c' font-weight='bold' paint-order='stroke' stroke='white' stroke-width='3'");
}

std::string axes_svg(const Paper& paper) {
  const CellGrid& area = paper.area();
  const double step = round_up(std::max(area.east_m() - area.west_m, area.north_m() - area.south_m) / 8);
  std::string svg = "<g font-size='11' fill='#444'>\n";
  svg += rectangle(paper, {area.west_m, area.south_m, 0}, {area.east_m(), area.north_m(), 0},
                   "fill='none' stroke='#888'/>\n");
  for (double x = std::ceil(area.west_m / step) * step; x <= area.east_m() + 1e-9; x += step) {
    svg += label(paper.x(x), paper.bottom() + 16, fmt::format("{:g}", x + 0.0), "text-anchor='middle'");
  }
  for (double y = std::ceil(area.south_m / step) * step; y <= area.north_m() + 1e-9; y += step) {
    svg += label(kLeft - 6, paper.y(y) + 4, fmt::format("{:g}", y + 0.0), "text-anchor='end'");
  }
  const double bar = round_up((area.east_m() - area.west_m) / 10);
  const double bar_y = paper.bottom() + 38;
  svg += fmt::format("<path id='scale' d='M{0:.1f} {1:.1f} v6 h{2:.1f} v-6' fill='none' stroke='black'/>\n", kLeft,
                     bar_y, paper.pixels(bar));
  return svg + label(kLeft + paper.pixels(bar) + 8, bar_y + 7, fmt::format("{:g} m", bar)) + "</g>\n";
}

/// Lines of a legend, one below the other.
class Legend {
 public:
  explicit Legend(const Paper& paper) : x_(paper.right() + 20) {}

  void add(const std::string& sign, std::string_view text) {
    svg_ += fmt::format("<g transform='translate({:.1f} {:.1f})'>{}</g>\n", x_, y_, sign);
    svg_ += label(x_ + 24, y_ + 11, text);
    y_ += 20;
  }
  void title(const std::string& text) {
    y_ += 8;
    constexpr std::size_t kLine = 26;  // characters
    for (std::size_t from = 0; from < text.size();) {
      std::size_t end = std::min(text.size(), from + kLine);
      if (end < text.size() && text.rfind(' ', end) > from && text.rfind(' ', end) != std::string::npos) {
        end = text.rfind(' ', end);
      }
      svg_ += label(x_, y_ + 11, text.substr(from, end - from), "font-weight='bold'");
      y_ += 16;
      from = end + (end < text.size() && text[end] == ' ' ? 1 : 0);
    }
    y_ += 4;
  }
  [[nodiscard]] std::string svg() const { return "<g id='legend' font-size='12'>\n" + svg_ + "</g>\n"; }

 private:
  double x_;
  double y_ = kTop;
  std::string svg_;
};

std::string legend_svg(const Paper& paper, const ScenePicture& picture) {
  Legend legend(paper);
  if (!picture.tracks.empty()) {
    legend.add("<circle cx='9' cy='7' r='5' fill='#1f4e9c'/>", "robot");
    legend.add("<path d='M0 7 h18' stroke='#1f4e9c' stroke-dasharray='6 3'/>", "its way");
  }
  if (!picture.access_points.empty()) {
    legend.add("<path d='M9 1 l7 12 h-14 z' fill='#8a1c7c'/>", "access point");
  }
  if (!picture.obstacles.empty() || !picture.buildings.empty()) {
    legend.add("<rect width='18' height='13' fill='#8b6f47' fill-opacity='0.55' stroke='#5c4524'/>",
               picture.buildings.empty() ? "obstacle" : "building or obstacle");
  }
  if (picture.plan != nullptr) {
    legend.add("<rect width='18' height='13' fill='#555'/>", "wall of the floor plan");
  }
  if (picture.coverage) {
    legend.title(picture.coverage->title);
    const auto& texts = picture.coverage->value == CoverageValue::kSnr ? kSnrTexts : kLossTexts;
    for (std::size_t grade = 0; grade < kColours.size(); ++grade) {
      legend.add(fmt::format("<rect width='18' height='13' fill='{}' stroke='#999'/>", kColours[grade]), texts[grade]);
    }
  }
  return legend.svg();
}

}  // namespace

int coverage_grade(const CoverageCell& cell, CoverageValue value) {
  if (!cell.reachable) {
    return kCoverageGrades - 1;
  }
  const auto worse = value == CoverageValue::kSnr
                         ? std::ranges::count_if(kSnrSteps, [&](double step) { return cell.snr_db < step; })
                         : std::ranges::count_if(kLossSteps, [&](double step) { return cell.frame_loss >= step; });
  return static_cast<int>(worse);
}

std::string scene_svg(const ScenePicture& picture) {
  const Paper paper(picture.area);
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0:.0f}' height='{1:.0f}' viewBox='0 0 {0:.0f} {1:.0f}' "
      "font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' fill='white'/>\n",
      paper.width(), paper.height());
  svg += label(kLeft, 28, picture.title, "font-size='16'");
  svg += fmt::format(
      "<clipPath id='area'><rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}'/></clipPath>\n"
      "<g clip-path='url(#area)'>\n",
      kLeft, kTop, paper.right() - kLeft, paper.bottom() - kTop);
  if (picture.coverage) {
    svg += coverage_svg(paper, *picture.coverage);
  }
  if (picture.plan != nullptr) {
    svg += plan_svg(paper, *picture.plan);
  }
  svg += buildings_svg(paper, picture.buildings) + obstacles_svg(paper, picture.obstacles) + "<g id='tracks'>\n";
  for (const PicturedTrack& track : picture.tracks) {
    svg += track_svg(paper, track);
  }
  svg += "</g>\n<g id='access-points'>\n";
  for (const PicturedPoint& point : picture.access_points) {
    svg += access_point_svg(paper, point);
  }
  return svg + "</g>\n</g>\n" + axes_svg(paper) + legend_svg(paper, picture) + "</svg>\n";
}

}  // namespace hilgate
