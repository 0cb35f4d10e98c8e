// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/survey/map_image.h"

#include <fmt/format.h>
#include <png.h>

#include <cctype>
#include <optional>
#include <stdexcept>

#include "host/plain_file.h"

namespace hilgate {
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
