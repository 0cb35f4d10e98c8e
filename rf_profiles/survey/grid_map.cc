// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/survey/grid_map.h"

#include <fmt/format.h>
#include <png.h>

#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>

#include "config/range.h"
#include "config/yaml_reader.h"
#include "frame/checksum.h"
#include "host/plain_file.h"

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

namespace {

void check_size(std::uint64_t width, std::uint64_t height) {
  if (width == 0 || height == 0 || width > kMostPixelsAcross || height > kMostPixelsAcross) {
    throw std::runtime_error(
        fmt::format("the picture has {} x {} pixels; allowed: 1 to {} on a side", width, height, kMostPixelsAcross));
  }
}

/// The header of a PGM file and its numbers (netpbm's format): white space between them, '#' to the end of a line.
class PgmText {
 public:
  explicit PgmText(const std::string& bytes) : bytes_(bytes) {}

  std::uint32_t number() {
    skip_space();
    std::uint32_t value = 0;
    constexpr std::uint32_t kMost = 1'000'000;
    const std::size_t begin = at_;
    while (at_ < bytes_.size() && std::isdigit(static_cast<unsigned char>(bytes_[at_])) != 0 && value < kMost) {
      value = value * 10 + static_cast<std::uint32_t>(bytes_[at_++] - '0');
    }
    if (at_ == begin) {
      throw std::runtime_error(fmt::format("byte {} of the PGM file is not a number", at_));
    }
    return value;
  }
  std::uint8_t byte() {
    if (at_ >= bytes_.size()) {
      throw std::runtime_error("the PGM file ends before its last pixel");
    }
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }

 private:
  void skip_space() {
    while (at_ < bytes_.size() && (bytes_[at_] == '#' || std::isspace(static_cast<unsigned char>(bytes_[at_])) != 0)) {
      at_ = bytes_[at_] == '#' ? std::min(bytes_.find('\n', at_), bytes_.size()) : at_ + 1;
    }
  }
  const std::string& bytes_;
  std::size_t at_ = 2;  // after the magic
};

MapImage read_pgm(const std::string& bytes) {
  const bool plain = bytes[1] == '2';
  PgmText text(bytes);
  MapImage image;
  image.width = text.number();
  image.height = text.number();
  check_size(image.width, image.height);
  if (const std::uint32_t most = text.number(); most != 255) {
    throw std::runtime_error(fmt::format("the PGM file has grey levels up to {}; only 255 is supported", most));
  }
  if (!plain) {
    text.byte();  // the one white space before the pixels
  }
  const std::size_t pixels = std::size_t{image.width} * image.height;
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint32_t grey = plain ? text.number() : text.byte();
    if (grey > 255) {
      throw std::runtime_error(fmt::format("pixel {} of the PGM file is {}; allowed: 0 to 255", i, grey));
    }
    image.pixels.push_back(grey * 0x010101);
  }
  return image;
}

MapImage read_png(const std::string& bytes) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) {
    throw std::runtime_error(fmt::format("invalid PNG file: {}", png.message));
  }
  png.format = PNG_FORMAT_RGB;
  MapImage image{png.width, png.height, {}};
  try {
    check_size(png.width, png.height);
  } catch (...) {
    png_image_free(&png);
    throw;
  }
  std::vector<std::uint8_t> rgb(PNG_IMAGE_SIZE(png));
  const png_color white{255, 255, 255};
  if (png_image_finish_read(&png, &white, rgb.data(), 0, nullptr) == 0) {  // frees what it holds
    throw std::runtime_error(fmt::format("invalid PNG file: {}", png.message));
  }
  for (std::size_t i = 0; i + 2 < rgb.size(); i += 3) {
    image.pixels.push_back((Colour{rgb[i]} << 16) | (Colour{rgb[i + 1]} << 8) | rgb[i + 2]);
  }
  return image;
}

// Messages omit the file's name, which the caller knows.
std::string bytes_of(const std::string& file) {
  try {
    return read_plain_file(file);
  } catch (const PlainFileError& error) {
    throw std::runtime_error(error.why());
  }
}

}  // namespace

MapImage read_map_image(const std::string& file) {
  const std::string bytes = bytes_of(file);
  if (bytes.starts_with("P2") || bytes.starts_with("P5")) {
    return read_pgm(bytes);
  }
  if (bytes.starts_with("\x89PNG")) {
    return read_png(bytes);
  }
  throw std::runtime_error("is neither a PGM (P2, P5) nor a PNG file");
}

}  // namespace hilgate
