// SPDX-License-Identifier: Apache-2.0
#include "physics_link/feeds/avens_physics.h"

#include <stdexcept>
#include <utility>

#include "host/plain_file.h"
#include "physics_link/feeds/position_formats.h"

namespace hilgate {
namespace {

std::vector<std::string> numbered(std::size_t robots) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < robots; ++i) {
    names.push_back(std::to_string(i));
  }
  return names;
}

// Empty while the file is being written, or is invalid.
std::optional<std::vector<NamedPosition>> positions_in(const std::filesystem::path& file) {
  try {
    return parse_avens(read_plain_file(file));
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace

AvensPhysics::AvensPhysics(std::filesystem::path file, std::size_t robots)
    : PositionFeed(numbered(robots)), file_(std::move(file)) {}

void AvensPhysics::scene_at(SimTime at, Scene& scene) {
  std::error_code missing;
  const auto written = std::filesystem::last_write_time(file_, missing);
  if (!missing && written != written_) {
    written_ = written;
    read();
  }
  PositionFeed::scene_at(at, scene);
}

void AvensPhysics::read() {
  const auto positions = positions_in(file_);
  if (!positions) {
    note_malformed();
    written_ = {};  // it was being written: look again
    return;
  }
  for (const NamedPosition& position : *positions) {
    move(position.robot, position.at);
  }
}

}  // namespace hilgate
