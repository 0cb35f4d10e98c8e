// SPDX-License-Identifier: Apache-2.0
// Pictures of floor plans: PGM (P2, P5; 8 bits) and PNG.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hilgate {

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
