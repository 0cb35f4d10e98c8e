// SPDX-License-Identifier: Apache-2.0
// What is static in an SDF world (sdformat.org, versions 1.4 to 1.9) and can block the sight between robots: the
// collision shapes of static models, included ones too. Boxes, cylinders, spheres and meshes (OBJ, STL, COLLADA) are
// exact; planes and heightmaps are the ground and block nothing.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "physics_link/gz/mesh.h"
#include "physics_link/ray_box.h"
#include "physics_link/scene.h"

namespace hilgate::gz {

/// A cylinder upright around the z axis, or a sphere, around the origin of its frame; metres.
struct Cylinder {
  double radius = 0;
  double length = 0;
};
struct Sphere {
  double radius = 0;
};

/// A shape in a frame of its own, which lies at `pose` in the world.
struct Obstacle {
  std::string name;  // model::link::collision
  Pose pose{};
  std::variant<Box, Cylinder, Sphere, std::shared_ptr<const Mesh>> shape{};
};

/// Whether the straight line between two points passes through it.
bool blocks(const Obstacle& obstacle, const Vec3& a, const Vec3& b);

struct SdfWorld {
  std::string name;
  std::optional<double> step_s;  // max_step_size of its physics
  std::vector<Obstacle> obstacles;
  std::vector<std::string> left_out;  // shapes and models that could not be read, each once, with reason and count
};

/// Throws std::runtime_error with file and reason when it is no SDF or has no world. Included models and meshes are
/// found as sdf_resources.h describes.
SdfWorld read_sdf_world(const std::filesystem::path& file);

}  // namespace hilgate::gz
