// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "physics_link/ray_box.h"
#include "physics_link/scene.h"

namespace hilgate::gz {

using Triangle = std::array<Vec3, 3>;

/// A surface of triangles, and the box around it.
struct Mesh {
  std::vector<Triangle> triangles;
  Box box{};
};

/// A file, and what of it.
struct MeshPart {
  std::filesystem::path file;
  std::string submesh{};  // the one of that name; empty: all
  bool centred = false;   // the submesh's middle is moved to the origin
  std::array<double, 3> scale{1, 1, 1};
  friend auto operator<=>(const MeshPart&, const MeshPart&) = default;
};

/// Reads OBJ, STL or COLLADA as Gazebo does, with libignition-common-graphics, in a confined process of its own, as the
/// library ends a process with some files that are damaged. Throws std::runtime_error that names the file when it
/// cannot be read, is of another kind, lacks the submesh or has no triangles.
std::shared_ptr<const Mesh> read_mesh(const MeshPart& part);

/// Whether a ray meets one of its triangles between its ends, in the mesh's own frame.
bool crosses(const Mesh& mesh, const Segment& ray);

}  // namespace hilgate::gz
