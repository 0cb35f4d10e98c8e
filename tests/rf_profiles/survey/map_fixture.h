// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "rf_profiles/survey/grid_map.h"

namespace hilgate::test {

/// A map drawn in text, the north first: '#' is brick (6 dB a wall), 'c' curtain (1 dB a cell), all else free.
inline GridMap drawn_map(const std::vector<std::string>& rows) {
  GridMap map;
  map.width = static_cast<std::uint32_t>(rows.front().size());
  map.height = static_cast<std::uint32_t>(rows.size());
  map.materials = {{.name = "free", .colour = 0xFFFFFF},
                   {.name = "brick", .colour = 0, .loss_db = 6, .wall = true, .permittivity = 4.44},
                   {.name = "curtain", .colour = 0x808080, .loss_db = 1, .per_cell = true, .wall = true}};
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    for (const char cell : *row) {
      map.cells.push_back(cell == '#' ? 1 : cell == 'c' ? 2 : 0);
    }
  }
  return map;
}

/// A folder that is gone with the test.
struct MapFolder {
  MapFolder() : path(std::filesystem::temp_directory_path() / ("hgt-map-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~MapFolder() { std::filesystem::remove_all(path); }
  MapFolder(const MapFolder&) = delete;
  MapFolder& operator=(const MapFolder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
  std::filesystem::path path;
};

}  // namespace hilgate::test
