// SPDX-License-Identifier: Apache-2.0
#include "physics_link/geo/place_files.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <fmt/format.h>
#include <gdal.h>
#include <ogr_srs_api.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>

namespace hilgate {
namespace {

using mavlink::Geodetic;

struct CloseDataset {
  void operator()(void* dataset) const { GDALClose(dataset); }
};
struct DestroyTransform {
  void operator()(void* transform) const { OCTDestroyCoordinateTransformation(transform); }
};
struct ReleaseReference {
  void operator()(void* reference) const { OSRRelease(reference); }
};
using Reference = std::unique_ptr<void, ReleaseReference>;

[[noreturn]] void refuse(const GeoQuestion& question, const std::string& what) {
  throw GeoFault("terrain", fmt::format("{} {}", question.terrain, what));
}

/// In pixels from the middle of the first one, which is north-west.
struct PixelPoint {
  double column = 0;
  double row = 0;
};

/// Pixels of a raster and positions on the earth.
class Raster {
 public:
  explicit Raster(const GeoQuestion& question) : question_(question) {
    GDALAllRegister();
    CPLSetErrorHandler(CPLQuietErrorHandler);
    CPLSetConfigOption("GDAL_PAM_ENABLED", "NO");
    constexpr std::array<const char*, 4> kDrivers = {"GTiff", "SRTMHGT", "AAIGrid", nullptr};
    dataset_.reset(GDALOpenEx(question.terrain.c_str(), GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR,
                              kDrivers.data(), nullptr, nullptr));
    if (!dataset_) {
      refuse(question,
             fmt::format("is not a raster of heights that can be read ({}); needed: GeoTIFF, SRTM .hgt, or an "
                         "ASCII grid with a .prj file",
                         CPLGetLastErrorMsg()));
    }
    columns_ = GDALGetRasterXSize(dataset_.get());
    rows_ = GDALGetRasterYSize(dataset_.get());
    if (GDALGetRasterCount(dataset_.get()) != 1 || columns_ < 2 || rows_ < 2) {
      refuse(question, fmt::format("has {} bands of {} x {} pixels; needed: one band of heights, 2 x 2 at least",
                                   GDALGetRasterCount(dataset_.get()), columns_, rows_));
    }
    band_ = GDALGetRasterBand(dataset_.get(), 1);
    require_metres();
    lay();
  }

  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int rows() const { return rows_; }

  /// Of many positions at once.
  void pixels_of(const std::vector<Geodetic>& places, std::vector<PixelPoint>& pixels) {
    x_.resize(places.size());
    y_.resize(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      x_[i] = places[i].lon_deg;
      y_[i] = places[i].lat_deg;
    }
    transform(to_raster_.get());
    pixels.resize(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      pixels[i] = {(x_[i] - layout_[0]) / layout_[1] - kMiddle, (y_[i] - layout_[3]) / layout_[5] - kMiddle};
    }
  }

  /// East and north of the origin; on the ground where that is as high as the origin.
  [[nodiscard]] GroundPoint place_of(const PixelPoint& pixel) {
    x_.assign(1, layout_[0] + (pixel.column + kMiddle) * layout_[1]);
    y_.assign(1, layout_[3] + (pixel.row + kMiddle) * layout_[5]);
    transform(from_raster_.get());
    const Vec3 at = enu_of({.lat_deg = y_[0], .lon_deg = x_[0], .alt_m = question_.origin.alt_m}, question_.origin);
    return {at.x, at.y};
  }

  /// Heights of a part of it, no number where it has a hole.
  [[nodiscard]] std::vector<float> read(int column, int row, int columns, int rows) const {
    std::vector<float> heights(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
    if (GDALRasterIO(band_, GF_Read, column, row, columns, rows, heights.data(), columns, rows, GDT_Float32, 0, 0) !=
        CE_None) {
      refuse(question_, fmt::format("is damaged: {}", CPLGetLastErrorMsg()));
    }
    int has_none = 0;
    const auto none = static_cast<float>(GDALGetRasterNoDataValue(band_, &has_none));
    if (has_none != 0) {
      std::ranges::replace(heights, none, std::nanf(""));
    }
    return heights;
  }

 private:
  static constexpr double kMiddle = 0.5;  // of a pixel, from its corner

  void require_metres() const {
    const std::string_view unit = GDALGetRasterUnitType(band_);
    if (!unit.empty() && unit != "m" && unit != "metre" && unit != "meter") {
      refuse(question_, fmt::format("has heights in '{}'; needed: metres", unit));
    }
  }

  void lay() {
    const OGRSpatialReferenceH own = GDALGetSpatialRef(dataset_.get());
    if (own == nullptr || GDALGetGeoTransform(dataset_.get(), layout_.data()) != CE_None) {
      refuse(question_, "has no coordinate reference system, or no position in it");
    }
    if (layout_[2] != 0 || layout_[4] != 0 || layout_[1] <= 0 || layout_[5] >= 0) {
      refuse(question_, "is not laid with north up; `gdalwarp` makes it so");
    }
    const Reference raster(OSRClone(own));
    const Reference earth(OSRNewSpatialReference(nullptr));
    constexpr int kWgs84 = 4326;  // EPSG
    if (OSRImportFromEPSG(earth.get(), kWgs84) != OGRERR_NONE) {
      refuse(question_, fmt::format("cannot be placed on the earth: {}", CPLGetLastErrorMsg()));
    }
    for (const Reference* each : {&raster, &earth}) {
      OSRSetAxisMappingStrategy(each->get(), OAMS_TRADITIONAL_GIS_ORDER);
    }
    to_raster_.reset(OCTNewCoordinateTransformation(earth.get(), raster.get()));
    from_raster_.reset(OCTNewCoordinateTransformation(raster.get(), earth.get()));
    if (!to_raster_ || !from_raster_) {
      refuse(question_, fmt::format("cannot be placed on the earth: {}", CPLGetLastErrorMsg()));
    }
  }

  void transform(OGRCoordinateTransformationH transformation) {
    if (OCTTransform(transformation, static_cast<int>(x_.size()), x_.data(), y_.data(), nullptr) == 0) {
      refuse(question_, fmt::format("cannot be placed on the earth: {}", CPLGetLastErrorMsg()));
    }
  }

  const GeoQuestion& question_;
  std::unique_ptr<void, CloseDataset> dataset_;
  std::unique_ptr<void, DestroyTransform> to_raster_;
  std::unique_ptr<void, DestroyTransform> from_raster_;
  GDALRasterBandH band_ = nullptr;
  int columns_ = 0;
  int rows_ = 0;
  std::array<double, 6> layout_{};  // GDAL's: x of the first corner, of a column; y of the first corner, of a row
  std::vector<double> x_, y_;
};

/// East and north, metres.
struct Rectangle {
  double west = 0, south = 0, east = 0, north = 0;
};

/// Within all four edges of the raster, which may be curved in the frame of the origin, and within the radius.
Rectangle covered_by(Raster& raster, const GeoQuestion& question) {
  constexpr int kParts = 20;  // of an edge
  const double r = question.radius_m;
  Rectangle inside{-r, -r, r, r};
  const double columns = raster.columns() - 1;
  const double rows = raster.rows() - 1;
  for (int i = 0; i <= kParts; ++i) {
    const double share = static_cast<double>(i) / kParts;
    inside.west = std::max(inside.west, raster.place_of({0, share * rows}).x);
    inside.east = std::min(inside.east, raster.place_of({columns, share * rows}).x);
    inside.north = std::min(inside.north, raster.place_of({share * columns, 0}).y);
    inside.south = std::max(inside.south, raster.place_of({share * columns, rows}).y);
  }
  if (!(inside.west <= 0 && 0 <= inside.east && inside.south <= 0 && 0 <= inside.north)) {
    const auto geodetic = [&question](double x, double y) { return geodetic_of({x, y, 0}, question.origin); };
    const GroundPoint south_west = raster.place_of({0, rows});
    const GroundPoint north_east = raster.place_of({columns, 0});
    const Geodetic low = geodetic(south_west.x, south_west.y);
    const Geodetic high = geodetic(north_east.x, north_east.y);
    throw GeoFault("terrain", fmt::format("{} does not cover the origin, latitude {:.5f}, longitude {:.5f}: it reaches "
                                          "from about {:.5f}, {:.5f} to {:.5f}, {:.5f}",
                                          question.terrain, question.origin.lat_deg, question.origin.lon_deg,
                                          low.lat_deg, low.lon_deg, high.lat_deg, high.lon_deg));
  }
  return inside;
}

HeightGrid::Layout layout_in(Raster& raster, const GeoQuestion& question, const Rectangle& inside) {
  std::vector<PixelPoint> at;
  raster.pixels_of({question.origin}, at);
  const GroundPoint here = raster.place_of(at[0]);
  const GroundPoint right = raster.place_of({at[0].column + 1, at[0].row});
  const GroundPoint below = raster.place_of({at[0].column, at[0].row + 1});
  const double step =
      std::min(std::hypot(right.x - here.x, right.y - here.y), std::hypot(below.x - here.x, below.y - here.y));
  const double columns = std::floor((inside.east - inside.west) / step) + 1;
  const double rows = std::floor((inside.north - inside.south) / step) + 1;
  if (columns * rows > static_cast<double>(kMostGeoPosts)) {
    throw GeoFault("radius",
                   fmt::format("{} has {:.0f} x {:.0f} heights, one each {:.3g} m, within {:g} m of the origin; "
                               "the maximum is {}: set a smaller `radius`, or use a coarser raster (`gdalwarp "
                               "-tr`)",
                               question.terrain, columns, rows, step, question.radius_m, kMostGeoPosts));
  }
  if (columns < 2 || rows < 2) {
    refuse(question, fmt::format("has less than 2 x 2 heights within {:g} m of the origin", question.radius_m));
  }
  return {.west_m = inside.west,
          .south_m = inside.south,
          .step_m = step,
          .columns = static_cast<std::size_t>(columns),
          .rows = static_cast<std::size_t>(rows)};
}

/// The part of a raster that a grid needs.
class RasterPart {
 public:
  RasterPart(Raster& raster, const std::vector<PixelPoint>& border) {
    const auto [west, east] = std::ranges::minmax(border, {}, &PixelPoint::column);
    const auto [north, south] = std::ranges::minmax(border, {}, &PixelPoint::row);
    first_column_ = std::clamp(static_cast<int>(std::floor(west.column)) - 1, 0, raster.columns() - 1);
    first_row_ = std::clamp(static_cast<int>(std::floor(north.row)) - 1, 0, raster.rows() - 1);
    columns_ = std::min(static_cast<int>(std::ceil(east.column)) + 2, raster.columns()) - first_column_;
    rows_ = std::min(static_cast<int>(std::ceil(south.row)) + 2, raster.rows()) - first_row_;
    heights_ = raster.read(first_column_, first_row_, columns_, rows_);
  }

  /// Bilinear between the middles of pixels; no number where one of them is a hole.
  [[nodiscard]] double at(const PixelPoint& pixel) const {
    const double across = std::clamp(pixel.column - first_column_, 0.0, columns_ - 1.0);
    const double down = std::clamp(pixel.row - first_row_, 0.0, rows_ - 1.0);
    const int column = std::min(static_cast<int>(across), std::max(columns_ - 2, 0));
    const int row = std::min(static_cast<int>(down), std::max(rows_ - 2, 0));
    const auto height = [&](int right, int below) {
      const int c = std::min(column + right, columns_ - 1);
      const int r = std::min(row + below, rows_ - 1);
      return static_cast<double>(
          heights_[static_cast<std::size_t>(r) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(c)]);
    };
    const double upper = std::lerp(height(0, 0), height(1, 0), across - column);
    const double lower = std::lerp(height(0, 1), height(1, 1), across - column);
    return std::lerp(upper, lower, down - row);
  }

 private:
  int first_column_ = 0, first_row_ = 0, columns_ = 0, rows_ = 0;
  std::vector<float> heights_;
};

GroundPoint post_of(const HeightGrid::Layout& layout, std::size_t column, std::size_t row) {
  return {layout.west_m + static_cast<double>(column) * layout.step_m,
          layout.south_m + static_cast<double>(row) * layout.step_m};
}

std::vector<Geodetic> border_of(const HeightGrid::Layout& layout, const Geodetic& origin) {
  std::vector<Geodetic> border;
  const auto add = [&](std::size_t column, std::size_t row) {
    const GroundPoint post = post_of(layout, column, row);
    border.push_back(geodetic_of({post.x, post.y, 0}, origin));
  };
  for (std::size_t column = 0; column < layout.columns; ++column) {
    add(column, 0);
    add(column, layout.rows - 1);
  }
  for (std::size_t row = 0; row < layout.rows; ++row) {
    add(0, row);
    add(layout.columns - 1, row);
  }
  return border;
}

void require_height(double sea_m, const Geodetic& place, const GeoQuestion& question) {
  constexpr double kLowest = -500;   // m, as the profiles of path loss over terrain have it
  constexpr double kHighest = 9000;  // likewise
  if (std::isnan(sea_m)) {
    refuse(question,
           fmt::format("has no height at latitude {:.5f}, longitude {:.5f}; `gdal_fillnodata.py` fills holes, "
                       "or set a smaller `radius`",
                       place.lat_deg, place.lon_deg));
  }
  if (sea_m < kLowest || sea_m > kHighest) {
    refuse(question,
           fmt::format("has the height {:g} m at latitude {:.5f}, longitude {:.5f}; allowed: {:g} m to {:g} m", sea_m,
                       place.lat_deg, place.lon_deg, kLowest, kHighest));
  }
}

/// One row of the grid: z of its posts, and what they are above the sea.
class PostRow {
 public:
  PostRow(Raster& raster, const RasterPart& part, const GeoQuestion& question)
      : raster_(raster), part_(part), question_(question) {}

  void compute(const HeightGrid::Layout& layout, std::size_t row) {
    constexpr int kRounds = 2;  // a post high above the plane is nearer to the origin on the raster, by millimetres
    z_m.assign(layout.columns, 0);
    sea_m.resize(layout.columns);
    places_.resize(layout.columns);
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t column = 0; column < layout.columns; ++column) {
        const GroundPoint post = post_of(layout, column, row);
        places_[column] = geodetic_of({post.x, post.y, z_m[column]}, question_.origin);
      }
      raster_.pixels_of(places_, pixels_);
      for (std::size_t column = 0; column < layout.columns; ++column) {
        sea_m[column] = part_.at(pixels_[column]);
        require_height(sea_m[column], places_[column], question_);
        z_m[column] += sea_m[column] - places_[column].alt_m;
      }
    }
  }

  std::vector<double> z_m;
  std::vector<double> sea_m;

 private:
  Raster& raster_;
  const RasterPart& part_;
  const GeoQuestion& question_;
  std::vector<Geodetic> places_;
  std::vector<PixelPoint> pixels_;
};

}  // namespace

GeoTerrain read_elevation_file(const GeoQuestion& question) {
  Raster raster(question);
  GeoTerrain terrain;
  terrain.layout = layout_in(raster, question, covered_by(raster, question));
  std::vector<PixelPoint> border;
  raster.pixels_of(border_of(terrain.layout, question.origin), border);
  const RasterPart part(raster, border);
  PostRow posts(raster, part, question);
  terrain.lowest_m = HUGE_VAL;
  terrain.highest_m = -HUGE_VAL;
  for (std::size_t row = 0; row < terrain.layout.rows; ++row) {
    posts.compute(terrain.layout, row);
    for (std::size_t column = 0; column < terrain.layout.columns; ++column) {
      const double sea_m = posts.sea_m[column];
      terrain.lowest_m = std::min(terrain.lowest_m, sea_m);
      terrain.highest_m = std::max(terrain.highest_m, sea_m);
      terrain.heights_m.push_back(static_cast<float>(posts.z_m[column]));
    }
  }
  return terrain;
}

}  // namespace hilgate
