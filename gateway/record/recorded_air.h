// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "clock/time.h"
#include "gateway/record/link_table_codec.h"
#include "gateway/record/record_reader.h"
#include "gateway/record/run_layout.h"

namespace hilgate {

/// The link tables of a record, in the order of simulated time.
class RecordedAir {
 public:
  /// Of which window a table is, since when it holds, and when it was written down, since 1970.
  struct Place {
    std::uint64_t window = 0;
    SimTime at{};
    Nanoseconds written{};
  };

  /// Begins with the first table. Throws as read_record(), and std::runtime_error for a record without link tables.
  explicit RecordedAir(const std::filesystem::path& record);

  /// Advances to the last table at or before `at`; before the first table it is the first, after the last it stays.
  /// Never goes back.
  void go_to(SimTime at);
  /// Of the table after this one; nothing: this is the last.
  [[nodiscard]] std::optional<Place> next();
  /// Goes to that one. Throws std::runtime_error for a message that is no table of its layout.
  void advance();

  [[nodiscard]] const LinkTable& table() const { return *table_; }
  [[nodiscard]] const Place& place() const { return place_; }
  /// Of the table.
  [[nodiscard]] const RunLayout& layout() const { return layout_; }
  /// How often the layout has changed.
  [[nodiscard]] std::size_t layouts() const { return layouts_; }

 private:
  RecordStream messages_;
  RunLayout layout_;
  std::optional<RunLayout> next_layout_;  // of the table that follows
  std::size_t layouts_ = 0;
  LinkTableDecoder decoder_;
  const LinkTable* table_ = nullptr;
  Place place_{};
};

}  // namespace hilgate
