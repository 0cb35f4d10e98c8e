// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace hilgate {

/// What exists outside the file that a file may name.
struct KnownNames {
  /// Names of the radio profiles found in `directories` and where profiles are installed.
  std::function<std::vector<std::string>(const std::vector<std::filesystem::path>& directories)> radios;
  /// Names of the built-in materials.
  std::vector<std::string> materials;
  /// Which gateway of its site the reader is; empty: none of them.
  std::string gateway{};
};

}  // namespace hilgate
