// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/survey/grid_rays.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/propagation/diffraction.h"

namespace hilgate {
namespace {

using Complex = std::complex<double>;
constexpr double kNothing = 1e-12;  // relative; below it a direction or a spread is not distinguished

/// sin(x) / x.
double cardinal_sine(double x) {
  return x == 0 ? 1 : std::sin(x) / x;
}

}  // namespace

AngularMoments moments_of_rays(std::span<const Ray> rays) {
  AngularMoments moments;
  for (const Ray& ray : rays) {
    moments.f0 += ray.power;
    moments.f1 += std::polar(ray.power, ray.azimuth_rad);
    moments.f2 += std::polar(ray.power, 2 * ray.azimuth_rad);
  }
  return moments;
}

AngularMoments moments_of_omni() {
  return {1, 0, 0};
}

AngularMoments moments_of_sector(double width_rad, double centre_rad) {
  return {1, std::polar(1.0, centre_rad) * cardinal_sine(width_rad / 2),
          std::polar(1.0, 2 * centre_rad) * cardinal_sine(width_rad)};
}

AngularMoments moments_of_double_sector(double width_rad, double centre_rad) {
  return {1, 0, std::polar(1.0, 2 * centre_rad) * cardinal_sine(width_rad)};
}

AngularMoments moments_of_rice(double k, double azimuth_rad) {
  return {1 + k, std::polar(k, azimuth_rad), std::polar(k, 2 * azimuth_rad)};
}

ShapeFactors shape_factors(const AngularMoments& moments) {
  const double total = moments.f0 * moments.f0;
  const double spread = total - std::norm(moments.f1);
  if (!(spread > kNothing * total)) {
    return {};  // a single plane wave: gamma is 0/0 and defined as 0
  }
  const Complex axis = moments.f0 * moments.f2 - moments.f1 * moments.f1;
  const bool directed = std::abs(axis) > kNothing * total;
  return {std::sqrt(spread / total), directed ? std::abs(axis) / spread : 0, directed ? std::arg(axis) / 2 : 0};
}

double fading_rate_factor(const ShapeFactors& shape, double heading_rad) {
  const double directed = 1 + shape.constriction * std::cos(2 * (heading_rad - shape.azimuth_rad));
  return shape.spread * shape.spread * std::max(0.0, directed);
}

double rate_variance(const ShapeFactors& shape, double heading_rad) {
  return fading_rate_factor(shape, heading_rad) / 2;
}

double coherence_distance(const ShapeFactors& shape, double heading_rad) {
  constexpr double kEnvelope = 23;  // of the autocovariance e^(-23 W (d / lambda)^2)
  return std::sqrt(std::numbers::ln2 / kEnvelope) / std::sqrt(fading_rate_factor(shape, heading_rad));
}

namespace {

/// A ray on its way: position and way in cells, direction a unit vector.
struct Flight {
  double x, y, dx, dy;
  double weight;
  double way;
  std::uint32_t reflections;
};

class Tracer {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// `listener`: the block whose rays are kept.
  Tracer(const GridMap& map, const TraceSettings& settings, std::uint32_t listener = kNone)
      : map_(map),
        settings_(settings),
        across_(blocks_along(map.width, settings.block)),
        listener_(listener),
        arrivals_(std::size_t{across_} * blocks_along(map.height, settings.block)) {}

  [[nodiscard]] std::vector<Ray> heard() && { return std::move(heard_); }

  std::vector<Arrival> from(std::uint32_t block) {
    // The middle of the block's part of the map, within a cell and not on its corner.
    const auto middle = [&](std::uint32_t at, std::uint32_t cells) {
      const std::uint32_t begin = at * settings_.block;
      return std::floor((begin + std::min(begin + settings_.block, cells)) / 2.0 - 0.5) + 0.5;
    };
    const double x = middle(block % across_, map_.width);
    const double y = middle(block / across_, map_.height);
    for (std::uint32_t ray = 0; ray < settings_.rays; ++ray) {
      const double azimuth = 2 * std::numbers::pi * (ray + 0.5) / settings_.rays;
      pending_.push_back({x, y, std::cos(azimuth), std::sin(azimuth), 1.0 / settings_.rays, 0, 0});
      while (!pending_.empty()) {
        const Flight next = pending_.back();
        pending_.pop_back();
        fly(next);
      }
    }
    return std::move(arrivals_);
  }

 private:
  /// From cell to cell until the ray leaves the map or is too faint.
  void fly(Flight ray) {
    auto cell_x = static_cast<std::int64_t>(std::floor(ray.x));
    auto cell_y = static_cast<std::int64_t>(std::floor(ray.y));
    constexpr double kNever = std::numeric_limits<double>::infinity();
    while (inside(cell_x, cell_y) && ray.weight * settings_.rays >= settings_.faintest) {
      const double edge_x = static_cast<double>(cell_x + (ray.dx > 0 ? 1 : 0));
      const double edge_y = static_cast<double>(cell_y + (ray.dy > 0 ? 1 : 0));
      const double to_x = ray.dx != 0 ? (edge_x - ray.x) / ray.dx : kNever;
      const double to_y = ray.dy != 0 ? (edge_y - ray.y) / ray.dy : kNever;
      const bool sideways = to_x < to_y;  // through a face whose normal lies along x
      const double step = std::max(0.0, std::min(to_x, to_y));
      receive(cell_x, cell_y, ray, step);
      ray.x = sideways ? edge_x : ray.x + step * ray.dx;
      ray.y = sideways ? ray.y + step * ray.dy : edge_y;
      ray.way += step;
      const MapMaterial& here = material(cell_x, cell_y);
      (sideways ? cell_x : cell_y) += (sideways ? ray.dx : ray.dy) > 0 ? 1 : -1;
      if (inside(cell_x, cell_y)) {
        enter(here, material(cell_x, cell_y), sideways, ray);
      }
    }
  }

  /// Splits a ray that meets a wall: one part is reflected, the other continues, weaker.
  void enter(const MapMaterial& from, const MapMaterial& to, bool sideways, Flight& ray) {
    if (!to.wall || (&from == &to && !to.per_cell)) {
      return;
    }
    if (&from != &to && ray.reflections < settings_.reflections) {
      const double grazing = std::asin(std::min(1.0, std::abs(sideways ? ray.dx : ray.dy)));
      const double coefficient = grazing_reflection(to.permittivity, grazing);
      Flight back = ray;
      (sideways ? back.dx : back.dy) *= -1;
      // A touch back into the cell it came from, so that rounding does not put it into the wall.
      back.x += 1e-9 * back.dx;
      back.y += 1e-9 * back.dy;
      back.weight *= coefficient * coefficient;
      ++back.reflections;
      if (back.weight * settings_.rays >= settings_.faintest) {
        pending_.push_back(back);
      }
    }
    ray.weight *= ratio_of_db(-to.loss_db);
  }

  void receive(std::int64_t cell_x, std::int64_t cell_y, const Flight& ray, double step) {
    constexpr double kNearest = 0.5;  // cells; keeps the sender's own block finite
    const double power = ray.weight * step / std::max(kNearest, ray.way + step / 2);
    const auto block = static_cast<std::uint32_t>(cell_y) / settings_.block * across_ +
                       static_cast<std::uint32_t>(cell_x) / settings_.block;
    Arrival& arrival = arrivals_[block];
    const std::complex<double> against(-ray.dx, -ray.dy);  // where it comes from
    arrival.moments.f0 += power;
    arrival.moments.f1 += power * against;
    arrival.moments.f2 += power * against * against;
    arrival.power += power;
    arrival.direct += ray.reflections == 0 ? power : 0;
    if (block == listener_) {
      heard_.push_back({power, std::arg(against)});
    }
  }

  [[nodiscard]] bool inside(std::int64_t x, std::int64_t y) const {
    return x >= 0 && y >= 0 && x < std::int64_t{map_.width} && y < std::int64_t{map_.height};
  }
  [[nodiscard]] const MapMaterial& material(std::int64_t x, std::int64_t y) const {
    return map_.at({static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)});
  }

  const GridMap& map_;
  const TraceSettings& settings_;
  std::uint32_t across_;
  std::uint32_t listener_;
  std::vector<Arrival> arrivals_;
  std::vector<Flight> pending_;
  std::vector<Ray> heard_;
};

}  // namespace

WallWalker::WallWalker(const GridMap& map) : map_(map), materials_(map.materials.size()) {
  for (const MapMaterial& from : map.materials) {
    for (const MapMaterial& to : map.materials) {
      const bool counts = to.wall && (to.per_cell || &from != &to);
      step_.push_back(counts ? static_cast<std::uint16_t>(std::lround(to.loss_db / kUnitDb)) : std::uint16_t{0});
    }
  }
}

std::uint8_t WallWalker::between(std::uint32_t from, std::uint32_t to) const {
  const GridCell a = map_.cell(std::min(from, to));
  const GridCell b = map_.cell(std::max(from, to));
  const std::int32_t across = std::abs(static_cast<std::int32_t>(b.x) - static_cast<std::int32_t>(a.x));
  const auto up = static_cast<std::int32_t>(b.y - a.y);  // indices grow towards the north
  const std::ptrdiff_t sideways = a.x < b.x ? 1 : -1;
  const auto upwards = static_cast<std::ptrdiff_t>(map_.width);
  const std::uint8_t* here = map_.cells.data() + map_.index(a);
  std::uint8_t before = *here;
  std::uint32_t sum = 0;
  std::int32_t error = across - up;
  for (std::int32_t left = std::max(across, up); left > 0; --left) {
    const std::int32_t twice = 2 * error;
    if (twice >= -up) {
      error -= up;
      here += sideways;
    }
    if (twice <= across) {
      error += across;
      here += upwards;
    }
    sum += step_[before * materials_ + *here];
    before = *here;
  }
  return static_cast<std::uint8_t>(std::min<std::uint32_t>(sum, kMost));
}

std::vector<Arrival> trace_from(const GridMap& map, std::uint32_t sender_block, const TraceSettings& settings) {
  return Tracer(map, settings).from(sender_block);
}

std::vector<Ray> rays_between(const GridMap& map, std::uint32_t sender_block, std::uint32_t receiver_block,
                              const TraceSettings& settings) {
  Tracer tracer(map, settings, receiver_block);
  (void)tracer.from(sender_block);
  return std::move(tracer).heard();
}

}  // namespace hilgate
