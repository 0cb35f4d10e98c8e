// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
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

/// Reads OBJ, STL (text or binary) or COLLADA (.dae; triangles, polylists and polygons of a scene, with its unit and
/// turned z up), and multiplies by `scale`. Throws std::runtime_error that names the file when it cannot be read, has
/// no triangles or is of another kind.
std::shared_ptr<const Mesh> read_mesh(const std::filesystem::path& file, const Vec3& scale);

/// The triangles of a COLLADA document. Throws std::runtime_error with the reason.
std::vector<Triangle> collada_triangles(const std::string& bytes);

/// Whether a ray meets one of its triangles between its ends, in the mesh's own frame.
bool crosses(const Mesh& mesh, const Segment& ray);

}  // namespace hilgate::gz
