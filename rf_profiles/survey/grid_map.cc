// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/survey/grid_map.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <span>
#include <stdexcept>

#include "config/range.h"
#include "config/yaml_reader.h"
#include "frame/checksum.h"
#include "rf_profiles/survey/map_image.h"

namespace hilgate {
namespace {

/// "#rrggbb".
std::optional<Colour> colour_of(const std::string& text) {
  if (text.size() != 7 || text[0] != '#' || text.find_first_not_of("0123456789abcdefABCDEF", 1) != std::string::npos) {
    return std::nullopt;
  }
  return static_cast<Colour>(std::stoul(text.substr(1), nullptr, 16));
}

MapMaterial read_material(YamlReader& item) {
  MapMaterial material;
  material.name = item.required<std::string>("name");
  const auto text = needed<std::string>(item, "colour");
  const auto colour = text ? colour_of(*text) : std::nullopt;
  if (text && !colour) {
    item.fault("colour", fmt::format("'{}' is not a colour; example: \"#000000\"", *text));
  }
  material.colour = colour.value_or(0);
  material.wall = item.has("loss");
  if (material.wall) {
    material.loss_db = within<Decibels>(item, "loss", 0, 100).value;
    material.per_cell = item.choice<bool>("per", {{"crossing", false}, {"cell", true}}, {false});
    material.permittivity = number_within(item, "permittivity", 1, 1000);
  }
  return material;
}

class MapReader {
 public:
  explicit MapReader(YamlReader root) : root_(std::move(root)) {}

  GridMap read() {
    map_.cell_m = within<Metres>(root_, "cell", 0.01, 1000).value;
    const auto origin = root_.list<Metres>("origin");
    if (origin.size() == 2) {
      map_.origin_x_m = origin[0].value;
      map_.origin_y_m = origin[1].value;
    } else {
      root_.has("origin") ? root_.fault("origin", "needs x and y, for example [0m, 0m]")
                          : root_.fault("misses the key 'origin'");
    }
    for (YamlReader& item : root_.items("legend")) {
      read_entry(item);
    }
    if (const auto image = needed<std::string>(root_, "image")) {
      read_image(root_.file_named(*image).string());
    }
    return std::move(map_);
  }

 private:
  void read_entry(YamlReader& item) {
    constexpr std::size_t kMost = 255;
    const MapMaterial material = read_material(item);
    if (map_.materials.size() == kMost || !by_colour_.emplace(material.colour, map_.materials.size()).second) {
      item.fault("colour", fmt::format("'#{:06x}' is in the legend already, or there are more than {} colours",
                                       material.colour, kMost));
      return;
    }
    map_.materials.push_back(material);
  }

  void read_image(const std::string& file) {
    MapImage image;
    try {
      image = read_map_image(file);
    } catch (const std::runtime_error& error) {
      root_.fault("image", fmt::format("'{}': {}", file, error.what()));
      return;
    }
    map_.width = image.width;
    map_.height = image.height;
    map_.cells.resize(image.pixels.size());
    for (std::uint32_t row = 0; row < image.height; ++row) {
      for (std::uint32_t x = 0; x < image.width; ++x) {
        const Colour colour = image.pixels[row * image.width + x];
        const auto known = by_colour_.find(colour);
        if (known == by_colour_.end()) {
          root_.fault("legend", fmt::format("misses the colour '#{:06x}', which '{}' uses in column {}, row {}", colour,
                                            file, x, row));
          return;
        }
        map_.cells[(image.height - 1 - row) * image.width + x] = static_cast<std::uint8_t>(known->second);
      }
    }
  }

  YamlReader root_;
  GridMap map_;
  std::map<Colour, std::size_t> by_colour_;
};

}  // namespace

std::optional<GridCell> GridMap::cell_at(double x_m, double y_m) const {
  const double x = std::floor((x_m - origin_x_m) / cell_m);
  const double y = std::floor((y_m - origin_y_m) / cell_m);
  if (!(x >= 0 && x < width && y >= 0 && y < height)) {
    return std::nullopt;
  }
  return GridCell{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)};
}

std::uint64_t GridMap::hash() const {
  Crc32c one;
  EthernetCrc other;
  const auto add = [&](std::span<const std::byte> bytes) {
    one.add(bytes);
    other.add(bytes);
  };
  const std::array<double, 3> shape{static_cast<double>(width), static_cast<double>(height), cell_m};
  add(std::as_bytes(std::span(shape)));
  for (const MapMaterial& material : materials) {
    const std::array<double, 4> numbers{material.loss_db, material.permittivity, material.per_cell ? 1.0 : 0.0,
                                        material.wall ? 1.0 : 0.0};
    add(std::as_bytes(std::span(numbers)));
  }
  add(std::as_bytes(std::span(cells)));
  return (std::uint64_t{one.value()} << 32) | other.value();
}

GridMap load_grid_map(const std::string& file) {
  YamlDocument document = YamlDocument::load(file);
  GridMap map = MapReader(document.root()).read();
  document.finish();
  return map;
}

}  // namespace hilgate
