// SPDX-License-Identifier: Apache-2.0
// Whether an obstacle of an SDF world stands between two points.
#include <algorithm>
#include <array>
#include <cmath>

#include "physics_link/gz/sdf_obstacles.h"
#include "physics_link/place.h"

namespace hilgate::gz {
namespace {

Vec3 into_frame(const Pose& frame, const Vec3& point) {
  return rotate(inverse(frame.orientation),
                {point.x - frame.position.x, point.y - frame.position.y, point.z - frame.position.z});
}

bool overlaps(double enter, double leave) {
  return std::max(enter, 0.0) < std::min(leave, 1.0);
}

// Where a ray x^2 + y^2 [+ z^2] < r^2, as an interval of t; empty when nowhere.
std::optional<std::array<double, 2>> round_interval(const Segment& ray, double radius, bool sphere) {
  const auto d = ray.direction();
  const double dz = sphere ? d[2] : 0;
  const double z = sphere ? ray.a.z : 0;
  const double a = d[0] * d[0] + d[1] * d[1] + dz * dz;
  const double b = ray.a.x * d[0] + ray.a.y * d[1] + z * dz;
  const double c = ray.a.x * ray.a.x + ray.a.y * ray.a.y + z * z - radius * radius;
  if (a == 0) {  // along the cylinder's axis, or no line
    return c < 0 ? std::optional(std::array{0.0, 1.0}) : std::nullopt;
  }
  const double root = b * b - a * c;
  if (root <= 0) {
    return std::nullopt;
  }
  return std::array{(-b - std::sqrt(root)) / a, (-b + std::sqrt(root)) / a};
}

struct Crosses {
  Segment ray;
  bool operator()(const Box& box) const {
    const auto chord = chord_of(ray, box);
    return chord && overlaps(chord->enter, chord->leave);
  }
  bool operator()(const Cylinder& cylinder) const {
    const auto round = round_interval(ray, cylinder.radius, false);
    const double far = 2 * (std::abs(ray.a.x) + std::abs(ray.a.y) + ray.length() + cylinder.radius) + 1;
    const auto slab = chord_of(ray, {{-far, -far, -cylinder.length / 2}, {far, far, cylinder.length / 2}});
    return round && slab && overlaps(std::max((*round)[0], slab->enter), std::min((*round)[1], slab->leave));
  }
  bool operator()(const Sphere& sphere) const {
    const auto round = round_interval(ray, sphere.radius, true);
    return round && overlaps((*round)[0], (*round)[1]);
  }
  bool operator()(const std::shared_ptr<const Mesh>& mesh) const { return crosses(*mesh, ray); }
};

}  // namespace

bool blocks(const Obstacle& obstacle, const Vec3& a, const Vec3& b) {
  return std::visit(Crosses{{into_frame(obstacle.pose, a), into_frame(obstacle.pose, b)}}, obstacle.shape);
}

}  // namespace hilgate::gz
