// SPDX-License-Identifier: Apache-2.0
// Archives of map tiles: the whole file, or directories in a good header. What is accepted lies within the file.

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

#include "physics_link/geo/tile_archive.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

constexpr std::size_t kHeader = 127;

void put_little(std::string& text, std::size_t at, std::uint64_t value) {
  for (std::size_t byte = 0; byte < 8; ++byte) {
    text[at + byte] = static_cast<char>(value >> (8 * byte));
  }
}

// Root directory, metadata, leaves and pictures of these lengths, one after the other, of PNG in zooms 0 to 4.
std::string archive_of(FuzzInput& input) {
  std::string header("PMTiles\3", 8);
  header.resize(kHeader);
  std::uint64_t next = kHeader;
  for (std::size_t part = 0; part < 4; ++part) {
    const std::uint64_t length = input.number(300);
    put_little(header, 8 + 16 * part, next);
    put_little(header, 16 + 16 * part, length);
    next += length;
  }
  header[97] = input.byte() % 2 == 0 ? '\1' : '\2';
  header[98] = 1;
  header[99] = 2;
  header[101] = 4;
  std::string text = header + std::string(input.rest());
  text.resize(next);
  return text;
}

FileDescriptor file_of(const std::string& text) {
  FileDescriptor file(::memfd_create("tiles", MFD_CLOEXEC));
  require(file.valid() && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()),
          "there is memory for a file");
  return file;
}

void check_archive(const std::string& text) {
  const TileArchive archive(file_of(text));
  const bool is_picture = archive.type().starts_with("image/");
  require(is_picture || archive.type() == TileArchive::kVectorType, "tiles have a type");
  require(archive.least_zoom() <= archive.most_zoom(), "zooms are in order");
  for (unsigned zoom = 0; zoom <= 4; ++zoom) {
    for (const std::uint32_t at : {0U, 1U, 3U}) {
      try {
        const auto picture = archive.tile({.zoom = zoom, .x = at, .y = at});
        require(!picture || !is_picture || text.find(*picture) != std::string::npos, "a picture is of the file");
        require(!picture || picture->size() <= TileArchive::kLongestTile, "tiles have a limit");
      } catch (const std::runtime_error&) {  // a damaged leaf
      }
    }
  }
}

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  test::FuzzInput input(data, size);
  try {
    const bool is_whole = input.byte() % 2 == 0;
    test::check_archive(is_whole ? std::string(input.rest()) : test::archive_of(input));
  } catch (const std::runtime_error& error) {
    test::require(*error.what() != '\0', "who is refused is told why");
  }
  return 0;
}
