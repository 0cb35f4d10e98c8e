// SPDX-License-Identifier: Apache-2.0
#include "config/file_reference.h"

#include <system_error>

namespace hilgate {

std::filesystem::path kept_path(const std::string& name) {
  std::filesystem::path kept = "run-files";
  const std::filesystem::path written = std::filesystem::path(name).lexically_normal();
  if (written.is_absolute()) {
    kept /= "_root";
  }
  for (const std::filesystem::path& part : written.relative_path()) {
    kept /= part == ".." ? "_up" : part;
  }
  return kept;
}

std::filesystem::path referenced_file(const std::filesystem::path& from, const std::string& name) {
  const std::filesystem::path folder = from.parent_path();
  std::error_code none;
  if (std::filesystem::path kept = folder / kept_path(name); !name.empty() && std::filesystem::exists(kept, none)) {
    return kept;
  }
  return folder / name;
}

}  // namespace hilgate
