// SPDX-License-Identifier: Apache-2.0
#include "physics_link/traced_path.h"

#include <algorithm>

namespace hilgate {

TracedRay ray_along(const Path& path, const Vec3& from, const Vec3& to) {
  TracedRay ray{.length_m = distance_m(from, to)};
  if (path.empty()) {
    return ray;
  }
  double inner_m = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    inner_m += i > 0 ? distance_m(path[i - 1].at, path[i].at) : 0;
    ray.transitions += Decibels{path[i].loss_db > 0 ? path[i].loss_db : 0};
  }
  const Vec3& first = path.front().at;
  const Vec3& last = path.back().at;
  const double ends_m =
      std::min(distance_m(from, first) + distance_m(last, to), distance_m(to, first) + distance_m(last, from));
  ray.length_m = std::max(ray.length_m, inner_m + ends_m);
  return ray;
}

void rays_between(const std::vector<Path>& paths, const Vec3& from, const Vec3& to, std::vector<TracedRay>& rays) {
  rays.clear();
  for (const Path& path : paths) {
    rays.push_back(ray_along(path, from, to));
  }
  const bool geometry_alone =
      std::ranges::all_of(rays, [](const TracedRay& ray) { return ray.transitions == Decibels{}; });
  if (geometry_alone && rays.size() > 1) {
    rays = {*std::ranges::min_element(rays, {}, &TracedRay::length_m)};
  }
}

}  // namespace hilgate
