// SPDX-License-Identifier: Apache-2.0
// Format: PMTiles version 3 (github.com/protomaps/PMTiles, spec/v3/spec.md), chapters 3 to 5.
#include "physics_link/geo/tile_archive.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "physics_link/connection/gzip.h"

namespace hilgate {
namespace {

constexpr std::size_t kHeader = 127;  // bytes
constexpr std::string_view kMagic = "PMTiles";
constexpr unsigned kMostZoom = 26;  // numbers of tiles then are below 2^53
constexpr std::uint64_t kLongestPacked = std::uint64_t{2} << 20;
constexpr std::size_t kLongestAttribution = 300;
constexpr std::array<std::string_view, 5> kCompressions = {"unknown", "none", "gzip", "brotli", "zstd"};
constexpr std::array<std::string_view, 7> kTileTypes = {"other", "vector (MVT)", "PNG",         "JPEG",
                                                        "WebP",  "AVIF",         "vector (MLT)"};
constexpr std::array<std::string_view, 5> kDrawn = {"", TileArchive::kVectorType, "image/png", "image/jpeg",
                                                    "image/webp"};
constexpr unsigned char kPlain = 1, kGzip = 2;

template <std::size_t kNames>
std::string name_of(const std::array<std::string_view, kNames>& names, unsigned char value) {
  return value < kNames ? std::string(names[value]) : fmt::format("number {}", value);
}

std::uint64_t little_64(std::string_view text, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t byte = 8; byte-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(text[at + byte]);
  }
  return value;
}

// Variable-width integers: seven bits a byte, the lowest first.
class VarintReader {
 public:
  explicit VarintReader(std::string_view text) : text_(text) {}

  std::uint64_t next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (text_.empty()) {
        throw std::runtime_error("a directory is cut off");
      }
      const auto byte = static_cast<unsigned char>(text_.front());
      text_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) {
        return value;
      }
    }
    throw std::runtime_error("a directory has a number of more than 64 bits");
  }
  [[nodiscard]] std::size_t left() const { return text_.size(); }

 private:
  std::string_view text_;
};

std::string unpacked(const std::string& packed, std::uint64_t limit, const char* what) {
  std::string plain;
  if (const auto fault = Gzip(1, limit).unpack(packed, plain)) {
    throw std::runtime_error(fmt::format("{}: {}", what, fault->detail));
  }
  return plain;
}

// Attributions are HTML with links as a rule; a page shows their text.
std::string plain_text(const std::string& html) {
  std::string text;
  bool in_tag = false;
  for (const char each : html) {
    if (each == '<') {
      in_tag = true;
    } else if (each == '>' && in_tag) {
      in_tag = false;
    } else if (!in_tag) {
      text.push_back(each);
    }
  }
  for (const auto& [name, sign] : {std::pair{"&copy;", "\u00a9"}, {"&amp;", "&"}, {"&nbsp;", " "}}) {
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
      text.replace(at, std::string_view(name).size(), sign);
    }
  }
  return text.size() > kLongestAttribution ? text.substr(0, kLongestAttribution) + "..." : text;
}

}  // namespace

std::optional<std::uint64_t> tile_number(const TileAddress& tile) {
  if (tile.zoom > kMostZoom || (tile.x >> tile.zoom) != 0 || (tile.y >> tile.zoom) != 0) {
    return std::nullopt;
  }
  std::uint64_t number = ((std::uint64_t{1} << 2 * tile.zoom) - 1) / 3;  // tiles of all lower zooms
  auto [zoom, x, y] = tile;
  for (unsigned level = zoom; level-- > 0;) {
    const std::uint32_t side = std::uint32_t{1} << level;
    const bool right = (x & side) != 0;
    const bool below = (y & side) != 0;
    number += std::uint64_t{side} * side * ((right ? 3U : 0U) ^ (below ? 1U : 0U));
    if (!below) {  // the curve within this quarter is turned
      if (right) {
        x = side - 1 - (x & (side - 1));
        y = side - 1 - (y & (side - 1));
      }
      std::swap(x, y);
    }
  }
  return number;
}

TileArchive TileArchive::open(const std::filesystem::path& file) {
  return TileArchive(
      FileDescriptor(checked(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), "open " + file.string())));
}

TileArchive::TileArchive(FileDescriptor file) : file_(std::move(file)) {
  struct stat about {};
  checked(::fstat(file_.get(), &about), "size of an archive of tiles");
  if (!S_ISREG(about.st_mode)) {
    throw std::runtime_error("is not a file");
  }
  size_ = static_cast<std::uint64_t>(about.st_size);
  const std::string header = size_ < kHeader ? "" : bytes({.offset = 0, .length = kHeader});
  if (!header.starts_with(kMagic)) {
    throw std::runtime_error("is not a PMTiles archive: it does not begin with its 127 bytes of header");
  }
  const auto byte = [&header](std::size_t at) { return static_cast<unsigned char>(header[at]); };
  if (byte(7) != 3) {
    throw std::runtime_error(fmt::format("is a PMTiles archive of version {}; version 3 can be read", byte(7)));
  }
  const unsigned char type = byte(99);
  if (type >= kDrawn.size() || kDrawn[type].empty()) {
    throw std::runtime_error(fmt::format("has tiles of type {}; drawn are vector tiles (MVT), PNG, JPEG and WebP",
                                         name_of(kTileTypes, type)));
  }
  type_ = kDrawn[type];
  if (byte(97) != kPlain && byte(97) != kGzip) {
    throw std::runtime_error(
        fmt::format("has directories of compression {}; gzip and none can be read", name_of(kCompressions, byte(97))));
  }
  packed_ = byte(97) == kGzip;
  const bool is_vector = type_ == kVectorType;
  // For pictures some writers leave it unknown, as they are packed already.
  if (byte(98) != kPlain && byte(98) != (is_vector ? kGzip : 0)) {
    throw std::runtime_error(fmt::format("has {} of compression {}; {}", is_vector ? "vector tiles" : "pictures",
                                         name_of(kCompressions, byte(98)),
                                         is_vector ? "gzip and none can be read" : "none is right for pictures"));
  }
  tiles_packed_ = byte(98) == kGzip;
  least_zoom_ = byte(100);
  most_zoom_ = byte(101);
  if (least_zoom_ > most_zoom_ || most_zoom_ > kMostZoom) {
    throw std::runtime_error(
        fmt::format("has zooms {} to {}; allowed: 0 to {}, the least first", least_zoom_, most_zoom_, kMostZoom));
  }
  const auto section = [&](std::size_t at, const char* what) {
    return within({.offset = little_64(header, at), .length = little_64(header, at + 8)}, what);
  };
  const Section root = section(8, "the root directory");
  const Section metadata = section(24, "the metadata");
  leaves_ = section(40, "the leaf directories");
  tiles_ = section(56, "the tiles");
  root_ = directory(root);
  read_metadata(metadata);
}

TileArchive::Section TileArchive::within(const Section& section, const char* what) const {
  if (section.offset > size_ || section.length > size_ - section.offset) {
    throw std::runtime_error(fmt::format("is cut off: {} would be the {} bytes from {} on, of {}", what, section.length,
                                         section.offset, size_));
  }
  return section;
}

std::string TileArchive::bytes(const Section& section) const {
  std::string bytes(section.length, '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const auto got =
        ::pread(file_.get(), bytes.data() + have, bytes.size() - have, static_cast<off_t>(section.offset + have));
    if (checked(static_cast<int>(got), "read an archive of tiles") == 0) {
      throw std::runtime_error("has become shorter while it was read");
    }
    have += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::string TileArchive::plain(std::string bytes, const char* what) const {
  return packed_ ? unpacked(bytes, kLongestDirectory, what) : bytes;
}

std::vector<TileArchive::Entry> TileArchive::directory(const Section& section) const {
  if (section.length > kLongestPacked) {
    throw std::runtime_error(
        fmt::format("has a directory of {} bytes; at most {} can be read", section.length, kLongestPacked));
  }
  const std::string text = plain(bytes(section), "a directory");
  VarintReader reader(text);
  const std::uint64_t count = reader.next();
  constexpr std::size_t kLeastEntry = 4;  // bytes
  if (count == 0 || count > reader.left() / kLeastEntry) {
    throw std::runtime_error(fmt::format("has a directory of {} bytes with {} entries", text.size(), count));
  }
  std::vector<Entry> entries(count);
  std::uint64_t number = 0;
  for (Entry& entry : entries) {
    const std::uint64_t step = reader.next();
    if (step > ~std::uint64_t{0} - number || (step == 0 && &entry != &entries.front())) {
      throw std::runtime_error("has a directory whose tiles are not in order");
    }
    entry.number = number += step;
  }
  for (Entry& entry : entries) {
    entry.run = reader.next();
  }
  for (Entry& entry : entries) {
    entry.length = reader.next();
  }
  std::uint64_t next = 0;
  for (Entry& entry : entries) {
    const std::uint64_t said = reader.next();
    entry.offset = said == 0 ? next : said - 1;
    const Section& all = entry.run == 0 ? leaves_ : tiles_;
    if (entry.length == 0 || entry.offset > all.length || entry.length > all.length - entry.offset) {
      throw std::runtime_error(
          fmt::format("has a directory with {} bytes from {} on, of {}", entry.length, entry.offset, all.length));
    }
    next = entry.offset + entry.length;
  }
  return entries;
}

void TileArchive::read_metadata(const Section& section) {
  if (section.length == 0) {
    return;
  }
  if (section.length > kLongestPacked) {
    throw std::runtime_error(
        fmt::format("has {} bytes of metadata; at most {} can be read", section.length, kLongestPacked));
  }
  const auto metadata = nlohmann::json::parse(plain(bytes(section), "the metadata"), nullptr, false);
  if (!metadata.is_object()) {
    throw std::runtime_error("has metadata that is no JSON object");
  }
  if (const auto said = metadata.find("attribution"); said != metadata.end() && said->is_string()) {
    attribution_ = plain_text(said->get<std::string>());
  }
}

std::optional<std::string> TileArchive::tile(const TileAddress& tile) const {
  const auto number = tile_number(tile);
  if (!number) {
    return std::nullopt;
  }
  std::vector<Entry> leaf;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const std::vector<Entry>& entries = depth == 0 ? root_ : leaf;
    const auto after = std::ranges::upper_bound(entries, *number, {}, &Entry::number);
    if (after == entries.begin()) {
      return std::nullopt;
    }
    const Entry found = *std::prev(after);
    if (found.run > 0) {
      if (*number - found.number >= found.run) {
        return std::nullopt;
      }
      if (found.length > kLongestTile) {
        throw std::runtime_error(
            fmt::format("has a tile of {} bytes; at most {} are drawn", found.length, kLongestTile));
      }
      std::string content = bytes({.offset = tiles_.offset + found.offset, .length = found.length});
      return tiles_packed_ ? unpacked(content, kLongestTile, "has a tile that cannot be unpacked") : content;
    }
    leaf = directory({.offset = leaves_.offset + found.offset, .length = found.length});
  }
  throw std::runtime_error(fmt::format("has more than {} directories one in the other", kDeepest));
}

}  // namespace hilgate
