// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "physics_link/geo/geo_scene.h"

namespace hilgate {

/// What exists outside the file that a file may name.
struct KnownNames {
  /// Names of the radio profiles found in `directories` and where profiles are installed.
  std::function<std::vector<std::string>(const std::vector<std::filesystem::path>& directories)> radios;
  /// Names of the built-in materials.
  std::vector<std::string> materials;
  /// What hilgate-place reads of a scene. Throws GeoFault for what the files or the question lack, std::runtime_error
  /// where the program cannot be run.
  std::function<std::shared_ptr<const GeoScene>(const GeoQuestion& question)> survey{};
  /// Which gateway of its site the reader is; empty: none of them.
  std::string gateway{};
};

}  // namespace hilgate
