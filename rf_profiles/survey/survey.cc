// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/survey/survey.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numbers>
#include <stdexcept>

namespace hilgate {
namespace {

constexpr std::uint64_t kPage = 4096;

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

std::uint64_t pair_at(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t high = std::max(a, b);
  return high * (high + 1) / 2 + std::min(a, b);
}

SurveyHeader header_of(const GridMap& map, const TraceSettings& settings, const SurveyLayout& layout) {
  SurveyHeader header;
  header.block = settings.block;
  header.rays = settings.rays;
  header.reflections = settings.reflections;
  header.map_hash = map.hash();
  header.file_bytes = layout.bytes;
  header.width = map.width;
  header.height = map.height;
  return header;
}

/// Empty when `found` belongs to the map; else what is wrong.
std::string fault_of(const SurveyHeader& found, std::uint64_t size, const GridMap& map) {
  const SurveyHeader right;
  if (std::memcmp(found.magic, right.magic, sizeof(right.magic)) != 0) {
    return "is not a survey";
  }
  if (found.version != right.version) {
    return fmt::format("has version {}; version {} is supported", found.version, right.version);
  }
  if (found.map_hash != map.hash() || found.width != map.width || found.height != map.height) {
    return fmt::format("belongs to another map ({} x {} cells, hash {:016x}; this one has {} x {}, {:016x})",
                       found.width, found.height, found.map_hash, map.width, map.height, map.hash());
  }
  if (found.block == 0 || found.file_bytes != size || SurveyLayout(map.width, map.height, found.block).bytes != size) {
    return fmt::format("is {} bytes long; its header says {}", size, found.file_bytes);
  }
  return "";
}

SurveyHeader read_header(const MappedFile& file, const std::string& name) {
  SurveyHeader header;
  if (file.size() < sizeof(header)) {
    throw std::runtime_error(fmt::format("{}: is not a survey", name));
  }
  std::memcpy(&header, file.data(), sizeof(header));
  return header;
}

std::uint8_t of_255(double share) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(share, 0.0, 1.0) * 255));
}

ShapeEntry entry_of(const Arrival& arrival) {
  const ShapeFactors shape = shape_factors(arrival.moments);
  const double turn = shape.azimuth_rad / std::numbers::pi - std::floor(shape.azimuth_rad / std::numbers::pi);
  return {of_255(shape.spread), of_255(shape.constriction), static_cast<std::uint8_t>(std::lround(turn * 256) % 256),
          of_255(arrival.direct_share())};
}

}  // namespace

SurveyLayout::SurveyLayout(std::uint32_t width, std::uint32_t height, std::uint32_t block)
    : cells(std::uint64_t{width} * height),
      blocks(std::uint64_t{blocks_along(width, block)} * blocks_along(height, block)),
      flags_at(kPage),
      walls_at(flags_at + whole_pages(cells + blocks)),
      shapes_at(walls_at + whole_pages(cells * (cells + 1) / 2)),
      bytes(shapes_at + blocks * blocks * sizeof(ShapeEntry)) {}

std::string survey_file_of(const std::string& map_file) {
  return std::filesystem::path(map_file).replace_extension(".survey").string();
}

SurveyWork::SurveyWork(const GridMap& map, const std::string& file, const TraceSettings& settings)
    : map_(map),
      settings_(settings),
      layout_(map.width, map.height, settings.block),
      file_(file, layout_.bytes),
      walker_(map) {
  const SurveyHeader right = header_of(map, settings, layout_);
  SurveyHeader found = read_header(file_, file);
  if (found.file_bytes == 0 && file_.size() == layout_.bytes) {  // new, or stopped before it had a header
    std::memcpy(file_.data(), &right, sizeof(right));
    found = right;
  }
  std::string fault = fault_of(found, file_.size(), map);
  if (fault.empty() && std::memcmp(&found, &right, sizeof(right)) != 0) {
    fault = fmt::format("was started with blocks of {} cells, {} rays and {} reflections", found.block, found.rays,
                        found.reflections);
  }
  if (!fault.empty()) {
    throw std::runtime_error(fmt::format("{}: {}; delete it, or give another --output", file, fault));
  }
}

bool SurveyWork::done(std::uint64_t unit) const {
  return file_.data()[layout_.flags_at + unit] != std::byte{0};
}

std::uint64_t SurveyWork::effort(std::uint64_t unit) const {
  constexpr std::uint64_t kPerRay = 20;  // links that take as long
  return unit < layout_.cells ? unit + 1 : settings_.rays * kPerRay;
}

void SurveyWork::work(std::uint64_t unit) {
  unit < layout_.cells ? walk(static_cast<std::uint32_t>(unit))
                       : trace(static_cast<std::uint32_t>(unit - layout_.cells));
  std::atomic_ref(file_.data()[layout_.flags_at + unit]).store(std::byte{1}, std::memory_order_release);
}

void SurveyWork::walk(std::uint32_t cell) {
  std::byte* const row = file_.data() + layout_.walls_at + pair_at(cell, 0);
  for (std::uint32_t other = 0; other <= cell; ++other) {
    row[other] = std::byte{walker_.between(cell, other)};
  }
}

void SurveyWork::trace(std::uint32_t block) {
  std::byte* at = file_.data() + layout_.shapes_at + block * layout_.blocks * sizeof(ShapeEntry);
  for (const Arrival& arrival : trace_from(map_, block, settings_)) {
    const ShapeEntry entry = entry_of(arrival);
    std::memcpy(at, &entry, sizeof(entry));
    at += sizeof(entry);
  }
}

Survey::Survey(GridMap map, const std::string& file)
    : map_(std::move(map)), file_(file, std::nullopt), block_(0), layout_(1, 1, 1) {
  const SurveyHeader header = read_header(file_, file);
  if (const std::string fault = fault_of(header, file_.size(), map_); !fault.empty()) {
    throw std::runtime_error(fmt::format("{}: {}", file, fault));
  }
  block_ = header.block;
  layout_ = SurveyLayout(map_.width, map_.height, block_);
  const std::byte* const flags = file_.data() + layout_.flags_at;
  const auto left = std::count(flags, flags + layout_.units(), std::byte{0});
  if (left > 0) {
    throw std::runtime_error(fmt::format("{}: incomplete, {} of {} units are missing", file, left, layout_.units()));
  }
}

double Survey::walls_db(GridCell a, GridCell b) const {
  return WallWalker::kUnitDb *
         std::to_integer<int>(file_.data()[layout_.walls_at + pair_at(map_.index(a), map_.index(b))]);
}

ShapeEntry Survey::shape_entry(GridCell receiver, GridCell sender) const {
  ShapeEntry entry;
  const std::uint64_t at = block_of(sender) * layout_.blocks + block_of(receiver);
  std::memcpy(&entry, file_.data() + layout_.shapes_at + at * sizeof(entry), sizeof(entry));
  return entry;
}

LocalShape Survey::shape(GridCell receiver, GridCell sender) const {
  const ShapeEntry entry = shape_entry(receiver, sender);
  return {{entry.spread / 255.0, entry.constriction / 255.0, entry.azimuth * std::numbers::pi / 256},
          entry.direct_share / 255.0};
}

std::uint64_t Survey::block_of(GridCell cell) const {
  return std::uint64_t{cell.y / block_} * blocks_along(map_.width, block_) + cell.x / block_;
}

std::shared_ptr<const Survey> open_survey(const std::string& map_file) {
  GridMap map = load_grid_map(map_file);
  try {
    return std::make_shared<const Survey>(std::move(map), survey_file_of(map_file));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}; run `hilgate survey {}`", error.what(), map_file));
  }
}

namespace {

[[noreturn]] void fail(const std::string& file, const char* what) {
  throw std::runtime_error(fmt::format("{}: {}: {}", file, what, std::strerror(errno)));
}

}  // namespace

MappedFile::MappedFile(const std::string& file, std::optional<std::uint64_t> bytes) {
  const int descriptor = open(file.c_str(), (bytes ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    fail(file, "cannot be opened");
  }
  struct stat status {};
  const bool known = fstat(descriptor, &status) == 0;
  size_ = static_cast<std::uint64_t>(status.st_size);
  const bool grow = known && bytes && size_ == 0;
  if (!known || (grow && ftruncate(descriptor, static_cast<off_t>(*bytes)) != 0)) {
    close(descriptor);
    fail(file, "cannot be resized");
  }
  size_ = grow ? *bytes : size_;
  void* const data =
      size_ == 0 ? MAP_FAILED : mmap(nullptr, size_, PROT_READ | (bytes ? PROT_WRITE : 0), MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (data == MAP_FAILED) {
    throw std::runtime_error(fmt::format("{}: cannot map {} bytes", file, size_));
  }
  data_ = static_cast<std::byte*>(data);
}

MappedFile::~MappedFile() {
  munmap(data_, size_);
}

void MappedFile::sync() const {
  if (msync(data_, size_, MS_SYNC) != 0) {
    throw std::runtime_error(fmt::format("the survey could not be written: {}", std::strerror(errno)));
  }
}

}  // namespace hilgate
