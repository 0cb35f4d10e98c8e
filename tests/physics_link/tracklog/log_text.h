// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "physics_link/tracklog/log_file.h"

namespace hilgate::test {

/// The content of a log in the folder logs/.
inline std::string content_of(const std::string& name) {
  std::ifstream file(std::filesystem::path(HILGATE_SOURCE_DIR) / "tests/physics_link/tracklog/logs" / name,
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline TrackLog log_of(std::string_view content) {
  return parse_log(content, "here/log.x");
}

/// What is wrong with it.
inline std::string fault_of(std::string_view content) {
  try {
    log_of(content);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

inline mavlink::Geodetic earth_of(const LogPoint& point) {
  return std::get<mavlink::Geodetic>(point.place);
}
inline Vec3 local_of(const LogPoint& point) {
  return std::get<Vec3>(point.place);
}

}  // namespace hilgate::test
