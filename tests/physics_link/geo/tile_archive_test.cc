// SPDX-License-Identifier: Apache-2.0
#include "physics_link/geo/tile_archive.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "physics_link/connection/gzip.h"

namespace hilgate::test {
namespace {

FileDescriptor tile_file(const std::string& text) {
  FileDescriptor file(checked(::memfd_create("tiles", MFD_CLOEXEC), "memfd_create"));
  EXPECT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  return file;
}

std::string fault_of(const std::string& text) {
  try {
    const TileArchive archive(tile_file(text));
    static_cast<void>(archive.tile({.zoom = 0, .x = 0, .y = 0}));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

void put_little(std::string& text, std::size_t at, std::uint64_t value) {
  for (std::size_t byte = 0; byte < 8; ++byte) {
    text[at + byte] = static_cast<char>(value >> (8 * byte));
  }
}

// One picture, zoom 0, without compression of directories.
struct SmallArchive {
  std::string root = std::string("\1\0\1\4\1", 5);  // one entry: number 0, run 1, length 4, offset 0
  std::string metadata = R"({"attribution": "<a href='https://x'>&copy; A &amp; B</a>"})";
  std::string leaves{};
  std::string pictures = "PICT";
  char internal = 1, type = 2, most_zoom = 0, packing = 1;

  [[nodiscard]] std::string text() const {
    std::string text(127, '\0');
    text.replace(0, 8, "PMTiles\3");
    std::uint64_t next = text.size();
    std::size_t at = 8;
    for (const std::string* part : {&root, &metadata, &leaves, &pictures}) {
      put_little(text, at, next);
      put_little(text, at + 8, part->size());
      next += part->size();
      at += 16;
    }
    text[97] = internal;
    text[98] = packing;
    text[99] = type;
    text[101] = most_zoom;
    return text + root + metadata + leaves + pictures;
  }
};

TEST(TileNumber, IsThatOfTheSpecification) {
  // By the table of the specification, 4.1, and zxyToTileId of npm's pmtiles 4.5.0.
  EXPECT_EQ(tile_number({0, 0, 0}), 0U);
  EXPECT_EQ(tile_number({1, 0, 0}), 1U);
  EXPECT_EQ(tile_number({1, 0, 1}), 2U);
  EXPECT_EQ(tile_number({1, 1, 1}), 3U);
  EXPECT_EQ(tile_number({1, 1, 0}), 4U);
  EXPECT_EQ(tile_number({2, 0, 0}), 5U);
  EXPECT_EQ(tile_number({12, 3423, 1763}), 19'078'479U);
  EXPECT_EQ(tile_number({20, 558'998, 367'891}), 1'299'246'759'398U);
  EXPECT_EQ(tile_number({26, 67'108'863, 1}), 6'004'799'503'160'657U);
  EXPECT_EQ(tile_number({1, 2, 0}), std::nullopt);
  EXPECT_EQ(tile_number({1, 0, 2}), std::nullopt);
  EXPECT_EQ(tile_number({27, 0, 0}), std::nullopt);
}

TEST(TileArchive, ReadsLeavesAndAttributions) {
  SmallArchive small;
  EXPECT_EQ(TileArchive(tile_file(small.text())).tile({0, 0, 0}), "PICT");
  EXPECT_EQ(TileArchive(tile_file(small.text())).attribution(), "\u00a9 A & B");
  small.leaves = small.root;
  small.root = std::string("\1\0\0\5\1", 5);  // number 0, run 0: a directory, length 5, offset 0
  EXPECT_EQ(TileArchive(tile_file(small.text())).tile({0, 0, 0}), "PICT");
  small.leaves = small.root;  // one that names itself
  EXPECT_THAT(fault_of(small.text()), testing::HasSubstr("more than 4 directories"));
  small = SmallArchive{.root = std::string("\1\0\3\4\1", 5), .most_zoom = 1};  // a run of three
  const TileArchive run(tile_file(small.text()));
  EXPECT_EQ(run.tile({1, 0, 1}), "PICT");
  EXPECT_EQ(run.tile({1, 1, 1}), std::nullopt);
}

// With one tile of these bytes.
SmallArchive vector_archive(const std::string& tile, char packing) {
  std::string length(1, static_cast<char>(tile.size() & 0x7F));
  for (std::size_t rest = tile.size() >> 7; rest > 0; rest >>= 7) {
    length.back() = static_cast<char>(length.back() | '\x80');
    length.push_back(static_cast<char>(rest & 0x7F));
  }
  return {.root = std::string("\1\0\1", 3) + length + '\1', .pictures = tile, .type = 1, .packing = packing};
}

TEST(TileArchive, UnpacksVectorTiles) {
  const TileArchive plain(tile_file(vector_archive("TILE", 1).text()));
  EXPECT_EQ(plain.type(), TileArchive::kVectorType);
  EXPECT_EQ(plain.tile({0, 0, 0}), "TILE");
  std::string packed;
  Gzip(9).pack(std::string(200'000, 'x'), packed);
  const std::string text = vector_archive(packed, 2).text();
  EXPECT_EQ(TileArchive(tile_file(text)).tile({0, 0, 0}), std::string(200'000, 'x'));
  EXPECT_THAT(fault_of(vector_archive(packed.substr(0, packed.size() - 1), 2).text()),
              testing::HasSubstr("has a tile that cannot be unpacked: "));
  EXPECT_THAT(fault_of(vector_archive("TILE", 2).text()), testing::HasSubstr("has a tile that cannot be unpacked: "));
  std::string bomb;
  Gzip(9).pack(std::string(TileArchive::kLongestTile + 1, '\1'), bomb);
  EXPECT_THAT(fault_of(vector_archive(bomb, 2).text()), testing::HasSubstr("more than the limit"));
}

TEST(TileArchive, RefusesWhatItCannotDrawWithTheReason) {
  EXPECT_THAT(fault_of(""), testing::HasSubstr("is not a PMTiles archive"));
  EXPECT_THAT(fault_of(std::string(200, 'x')), testing::HasSubstr("is not a PMTiles archive"));
  std::string text = SmallArchive{}.text();
  EXPECT_THAT(fault_of(text.substr(0, text.size() - 1)), testing::HasSubstr("is cut off: the tiles would be the"));
  text[7] = 2;
  EXPECT_THAT(fault_of(text), testing::HasSubstr("of version 2; version 3 can be read"));
  EXPECT_EQ(fault_of(SmallArchive{.type = 6}.text()),
            "has tiles of type vector (MLT); drawn are vector tiles (MVT), PNG, JPEG and WebP");
  EXPECT_EQ(fault_of(SmallArchive{.packing = 2}.text()),
            "has pictures of compression gzip; none is right for pictures");
  EXPECT_EQ(fault_of(SmallArchive{.type = 1, .packing = 3}.text()),
            "has vector tiles of compression brotli; gzip and none can be read");
  EXPECT_EQ(fault_of(SmallArchive{.type = 1, .packing = 0}.text()),
            "has vector tiles of compression unknown; gzip and none can be read");
  EXPECT_THAT(fault_of(SmallArchive{.type = 9}.text()), testing::HasSubstr("of type number 9"));
  EXPECT_THAT(fault_of(SmallArchive{.internal = 4}.text()),
              testing::HasSubstr("directories of compression zstd; gzip and none can be read"));
  EXPECT_THAT(fault_of(SmallArchive{.most_zoom = 27}.text()), testing::HasSubstr("has zooms 0 to 27"));
  EXPECT_THAT(fault_of(SmallArchive{.metadata = "[1]"}.text()), testing::HasSubstr("no JSON object"));
}

TEST(TileArchive, RefusesDamagedDirectories) {
  for (const auto& [root, text] : std::vector<std::pair<std::string, std::string>>{
           {"", "is cut off"},
           {std::string("\0", 1), "with 0 entries"},
           {"\x7f", "with 127 entries"},
           {std::string("\1\0\1\4", 4), "with 1 entries"},
           {std::string("\1\0\1\0\1", 5), "0 bytes from 0 on"},
           {std::string("\1\0\1\5\1", 5), "5 bytes from 0 on, of 4"},
           {std::string("\1\0\1\4\2", 5), "4 bytes from 1 on, of 4"},
           {std::string("\2\0\0\1\1\4\4\1\1", 9), "not in order"},
           {std::string("\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\1\4\1", 15), "more than 64 bits"}}) {
    EXPECT_THAT(fault_of(SmallArchive{.root = root}.text()), testing::HasSubstr(text));
  }
  EXPECT_THAT(fault_of(SmallArchive{.root = "no gzip", .internal = 2}.text()), testing::HasSubstr("gzip"));
  std::string bomb;
  Gzip(9).pack(std::string(TileArchive::kLongestDirectory + 1, '\1'), bomb);
  EXPECT_THAT(fault_of(SmallArchive{.root = bomb, .internal = 2}.text()), testing::HasSubstr("more than the limit"));
}

}  // namespace
}  // namespace hilgate::test
