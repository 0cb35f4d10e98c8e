// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "physics_link/ray_box.h"

namespace hilgate::gz {

/// The box around the corners of a mesh, OBJ or STL (text or binary), in its own units. Throws std::runtime_error that
/// names the file when it cannot be read or is of another kind.
Box mesh_box(const std::filesystem::path& file);

}  // namespace hilgate::gz
