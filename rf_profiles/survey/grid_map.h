// SPDX-License-Identifier: Apache-2.0
// A floor plan as a grid of cells, each free or of a material: the environment of D. A. Shell and M. J. Mataric,
// "High-fidelity radio communications modeling for multi-robot simulation". A map is a YAML file next to its picture:
//
//   image: building.pgm       PGM or PNG, a pixel per cell
//   cell: 0.5 m
//   origin: [0m, 0m]          x and y of the picture's lower left corner
//   legend:                   every colour of the picture
//     - {colour: "#ffffff", name: free}
//     - {colour: "#000000", name: brick, loss: 6 dB, permittivity: 4.44}
//
// `loss` is the partition attenuation factor of a wall that a ray crosses, however many of its cells; with
// `per: cell` of every cell. A colour without `loss` is free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hilgate {

struct MapMaterial {
  std::string name;
  std::uint32_t colour = 0;  // 0xRRGGBB
  double loss_db = 0;        // [0, 100]; 0 and free: no wall
  bool per_cell = false;
  bool wall = false;
  double permittivity = 1;  // relative, of what it reflects like
};

struct GridCell {
  std::uint32_t x = 0;  // from the west
  std::uint32_t y = 0;  // from the south
  friend bool operator==(const GridCell&, const GridCell&) = default;
};

struct GridMap {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  double cell_m = 1;
  double origin_x_m = 0;
  double origin_y_m = 0;
  std::vector<MapMaterial> materials;  // at most 255
  std::vector<std::uint8_t> cells;     // index of the material, row by row from the south

  [[nodiscard]] std::uint32_t cell_count() const { return width * height; }
  [[nodiscard]] std::uint32_t index(GridCell cell) const { return cell.y * width + cell.x; }
  [[nodiscard]] GridCell cell(std::uint32_t index) const { return {index % width, index / width}; }
  [[nodiscard]] const MapMaterial& at(GridCell cell) const { return materials[cells[index(cell)]]; }
  /// The cell at a position; empty outside the map.
  [[nodiscard]] std::optional<GridCell> cell_at(double x_m, double y_m) const;
  /// Of everything that a survey depends on: cells, their size, losses, permittivities. Not of names and colours.
  [[nodiscard]] std::uint64_t hash() const;
};

/// Throws ConfigError with every fault: unknown keys and colours, values out of range, an invalid picture.
GridMap load_grid_map(const std::string& file);

// Pictures of floor plans: PGM (P2, P5; 8 bits) and PNG.

/// 0xRRGGBB.
using Colour = std::uint32_t;

struct MapImage {
  std::uint32_t width = 0;  // pixels
  std::uint32_t height = 0;
  std::vector<Colour> pixels;  // row by row, the upper left first
};

inline constexpr std::uint32_t kMostPixelsAcross = 4096;

/// By what the file begins with, whatever its name. Throws std::runtime_error, without the file's name, when it cannot
/// be read, is neither, is broken, or is wider or higher than kMostPixelsAcross.
MapImage read_map_image(const std::string& file);

}  // namespace hilgate
