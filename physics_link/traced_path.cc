// SPDX-License-Identifier: Apache-2.0
#include "physics_link/traced_path.h"

#include <algorithm>
#include <cmath>

namespace hilgate {
namespace {

double between_points_m(const Vec3& a, const Vec3& b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

}  // namespace

TracedRay ray_along(const Path& path, const Vec3& from, const Vec3& to) {
  TracedRay ray{.length_m = between_points_m(from, to)};
  if (path.empty()) {
    return ray;
  }
  double inner_m = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    inner_m += i > 0 ? between_points_m(path[i - 1].at, path[i].at) : 0;
    ray.transitions_db += path[i].loss_db > 0 ? path[i].loss_db : 0;
  }
  const Vec3& first = path.front().at;
  const Vec3& last = path.back().at;
  const double ends_m = std::min(between_points_m(from, first) + between_points_m(last, to),
                                 between_points_m(to, first) + between_points_m(last, from));
  ray.length_m = std::max(ray.length_m, inner_m + ends_m);
  return ray;
}

void rays_between(const std::vector<Path>& paths, const Vec3& from, const Vec3& to, std::vector<TracedRay>& rays) {
  rays.clear();
  for (const Path& path : paths) {
    rays.push_back(ray_along(path, from, to));
  }
  const bool geometry_alone = std::ranges::all_of(rays, [](const TracedRay& ray) { return ray.transitions_db == 0; });
  if (geometry_alone && rays.size() > 1) {
    rays = {*std::ranges::min_element(rays, {}, &TracedRay::length_m)};
  }
}

}  // namespace hilgate
