// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/file_descriptor.h"

namespace hilgate {

/// A tile of the web's square maps: zoom 0 is the world in one, x counts from the west, y from the north.
struct TileAddress {
  unsigned zoom = 0;
  std::uint32_t x = 0, y = 0;
};

/// The number of a tile in an archive: its place on the Hilbert curves of all zooms, one after the other (PMTiles
/// version 3, 4.1). Nothing where no such tile can be: zoom above 26, x or y outside of it.
std::optional<std::uint64_t> tile_number(const TileAddress& tile);

/// Tiles of a map in one file: a PMTiles archive, version 3, of pictures (PNG, JPEG or WebP) or vector tiles (MVT), its
/// directories and vector tiles packed with gzip or plain. The file is a stranger's: each length and offset is checked
/// against the file, and directories, metadata and tiles have limits; what is in a tile is for its reader. For one
/// thread.
class TileArchive {
 public:
  static constexpr std::uint64_t kLongestTile = std::uint64_t{4} << 20;       // bytes, packed and unpacked
  static constexpr std::uint64_t kLongestDirectory = std::uint64_t{8} << 20;  // bytes, unpacked; likewise metadata
  static constexpr int kDeepest = 4;                                          // directories, one named by the other
  static constexpr std::string_view kVectorType = "application/vnd.mapbox-vector-tile";

  /// Throws std::runtime_error with what is wrong, and std::system_error when the file cannot be read.
  static TileArchive open(const std::filesystem::path& file);
  /// The same of an open file.
  explicit TileArchive(FileDescriptor file);

  /// Of its tiles: "image/png" or another picture's, or kVectorType.
  [[nodiscard]] std::string_view type() const { return type_; }
  [[nodiscard]] unsigned least_zoom() const { return least_zoom_; }
  [[nodiscard]] unsigned most_zoom() const { return most_zoom_; }
  /// Whom it names as the source of its tiles, as plain text; may be empty.
  [[nodiscard]] const std::string& attribution() const { return attribution_; }

  /// The bytes of a tile, unpacked; nothing where the archive has none. Throws std::runtime_error where the archive is
  /// damaged.
  [[nodiscard]] std::optional<std::string> tile(const TileAddress& tile) const;

 private:
  struct Section {
    std::uint64_t offset = 0, length = 0;  // of the file
  };
  struct Entry {
    std::uint64_t number = 0, run = 0, length = 0, offset = 0;  // run 0: of a directory
  };

  [[nodiscard]] std::string bytes(const Section& section) const;
  [[nodiscard]] Section within(const Section& section, const char* what) const;
  [[nodiscard]] std::string plain(std::string bytes, const char* what) const;
  [[nodiscard]] std::vector<Entry> directory(const Section& section) const;
  void read_metadata(const Section& section);

  FileDescriptor file_;
  std::uint64_t size_ = 0;  // of the file
  bool packed_ = false;     // directories and metadata
  bool tiles_packed_ = false;
  std::string_view type_;
  unsigned least_zoom_ = 0, most_zoom_ = 0;
  std::string attribution_;
  Section leaves_, tiles_;
  std::vector<Entry> root_;
};

}  // namespace hilgate
