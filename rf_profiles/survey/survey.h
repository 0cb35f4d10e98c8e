// SPDX-License-Identifier: Apache-2.0
// What a survey of a grid map has found out, kept in a file that is mapped into memory: wall attenuation between any
// two cells, and shape factors between any two blocks of cells. Opening it takes no time; every query is one look.
//
// The file: a header page (SurveyHeader), a flag per unit of work that is done, the attenuation of cell pairs (a, b <=
// a) at a (a + 1) / 2 + b in units of WallWalker::kUnitDb, the shape entries at sender x blocks + receiver. A file of
// another magic, version, map or size is not opened. Numbers are those of this machine, little-endian.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "rf_profiles/survey/grid_map.h"
#include "rf_profiles/survey/grid_rays.h"

namespace hilgate {

struct SurveyHeader {
  char magic[8] = {'h', 'g', 's', 'u', 'r', 'v', 'e', 'y'};
  std::uint32_t version = 1;
  std::uint32_t block = 0;  // cells along a side
  std::uint64_t map_hash = 0;
  std::uint64_t file_bytes = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t rays = 0;
  std::uint32_t reflections = 0;
};
static_assert(sizeof(SurveyHeader) == 48);

/// Where the parts of the file are.
struct SurveyLayout {
  SurveyLayout(std::uint32_t width, std::uint32_t height, std::uint32_t block);
  std::uint64_t cells = 0;
  std::uint64_t blocks = 0;
  std::uint64_t flags_at = 0;  // units of work: one per cell, then one per block
  std::uint64_t walls_at = 0;
  std::uint64_t shapes_at = 0;
  std::uint64_t bytes = 0;
  [[nodiscard]] std::uint64_t units() const { return cells + blocks; }
};

/// Shape factors as they are kept, in 255ths; the azimuth in 256ths of pi.
struct ShapeEntry {
  std::uint8_t spread = 0;
  std::uint8_t constriction = 0;
  std::uint8_t azimuth = 0;
  std::uint8_t direct_share = 0;  // of the power: what no wall has reflected
};
static_assert(sizeof(ShapeEntry) == 4);

/// Multipath at a receiver.
struct LocalShape {
  ShapeFactors shape;
  double direct_share = 1;
};

/// The file in memory, shared with the kernel's cache of it.
class MappedFile {
 public:
  /// Makes the file when it is not there and `bytes` is given; of exactly that size. Throws std::runtime_error.
  MappedFile(const std::string& file, std::optional<std::uint64_t> bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Waits until it is on the disk.
  void sync() const;

 private:
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

/// The survey file of a map: next to it, with the ending .survey.
std::string survey_file_of(const std::string& map_file);

/// A survey in the making. Units of work may be done by many threads, each unit by one.
class SurveyWork {
 public:
  /// Begins or resumes. Throws std::runtime_error when the file is the survey of another map or block size.
  SurveyWork(const GridMap& map, const std::string& file, const TraceSettings& settings);

  [[nodiscard]] std::uint64_t units() const { return layout_.units(); }
  [[nodiscard]] bool done(std::uint64_t unit) const;
  /// How much of the whole a unit is: links for cells, a block as many as its rays are worth.
  [[nodiscard]] std::uint64_t effort(std::uint64_t unit) const;
  void work(std::uint64_t unit);
  void finish() const { file_.sync(); }

 private:
  void walk(std::uint32_t cell);
  void trace(std::uint32_t block);

  const GridMap& map_;
  TraceSettings settings_;
  SurveyLayout layout_;
  MappedFile file_;
  WallWalker walker_;
};

/// A finished survey, for queries. Thread-safe.
class Survey {
 public:
  /// Throws std::runtime_error that names the file and what is wrong: no survey, another version, another map, another
  /// size, not finished.
  Survey(GridMap map, const std::string& file);

  [[nodiscard]] const GridMap& map() const { return map_; }
  /// Of the walls between two cells.
  [[nodiscard]] double walls_db(GridCell a, GridCell b) const;
  [[nodiscard]] LocalShape shape(GridCell receiver, GridCell sender) const;
  /// The same as it is kept.
  [[nodiscard]] ShapeEntry shape_entry(GridCell receiver, GridCell sender) const;

 private:
  [[nodiscard]] std::uint64_t block_of(GridCell cell) const;

  GridMap map_;
  MappedFile file_;
  std::uint32_t block_;
  SurveyLayout layout_;
};

/// The survey next to a map. Throws ConfigError or std::runtime_error, which names the command to run.
std::shared_ptr<const Survey> open_survey(const std::string& map_file);

}  // namespace hilgate
