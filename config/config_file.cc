// SPDX-License-Identifier: Apache-2.0
#include "config/config_file.h"

#include <system_error>

#include "config/config_error.h"
#include "host/plain_file.h"

namespace hilgate {

std::string read_config_file(const std::string& file) {
  try {
    return read_plain_file(file);
  } catch (const PlainFileError& error) {
    throw ConfigError({{file, 0, "", error.why()}});
  }
}

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
