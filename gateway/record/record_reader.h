// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"
#include "gateway/record/count_codec.h"
#include "gateway/record/link_table_codec.h"
#include "gateway/record/run_layout.h"
#include "host/mcap/mcap_reader.h"
#include "netsim_link/verdict.h"

namespace hilgate {

/// A consumer of a record's messages, in the order in which they were written. `at`: since 1970.
class RecordVisitor {
 public:
  virtual ~RecordVisitor() = default;
  RecordVisitor() = default;
  RecordVisitor(const RecordVisitor&) = delete;
  RecordVisitor& operator=(const RecordVisitor&) = delete;

  /// All that follows is about these.
  virtual void layout(Nanoseconds at, const RunLayout& layout) = 0;
  /// `table` is whole; `changed` of its links and `moved` of its robots' attachments differ from the table before.
  struct Links {
    const LinkTable& table;
    const std::vector<std::size_t>& changed;
    const std::vector<std::size_t>& moved;
  };
  virtual void links(Nanoseconds at, const Links& links) = 0;
  /// Likewise, by link: what each counts since the start.
  struct Counts {
    const std::vector<LinkCountsRow>& rows;
    const std::vector<std::size_t>& changed;
  };
  virtual void counts(Nanoseconds at, const Counts& counts) = 0;
  virtual void verdicts(Nanoseconds at, const std::vector<Verdict>& verdicts) = 0;
  /// Any other topic.
  virtual void said(Nanoseconds at, const std::string& topic, const nlohmann::json& json) = 0;
};

/// The file of a record that is named by its folder or by itself. Throws std::runtime_error where it does not exist.
std::filesystem::path record_file(const std::filesystem::path& record);

/// Throws std::runtime_error for link tables in the arithmetic code of old records.
void require_varints(const McapChannel& channel);

/// Reads a record to its last whole chunk. Throws as read_mcap(); std::runtime_error for a message that does not belong
/// to a record.
McapEnd read_record(const std::filesystem::path& record, RecordVisitor& visitor);

/// The messages of some topics of a record, one after the other. It reads ahead by a chunk.
class RecordStream {
 public:
  struct Message {
    std::string topic{};
    Nanoseconds at{};  // since 1970
    std::string data{};
  };

  /// Throws as read_record().
  RecordStream(const std::filesystem::path& record, std::vector<std::string> topics);

  /// Valid until pop(); null: the record ends there or cannot be read further. Throws as read_mcap().
  [[nodiscard]] const Message* next();
  /// Requires one.
  void pop() { waiting_.pop_front(); }

 private:
  McapReader file_;
  std::vector<std::string> topics_;
  std::deque<Message> waiting_;
};

/// What a record is of, and how far it goes.
struct RecordSummary {
  nlohmann::ordered_json run;     // its message /run; null when absent
  Nanoseconds first{0}, last{0};  // times of its messages, since 1970
  std::uint64_t tables = 0, verdicts = 0, changes = 0, lines = 0, missed = 0;
  nlohmann::ordered_json totals;  // the last
  McapEnd end;

  /// Throws as read_record().
  static RecordSummary of(const std::filesystem::path& record);
  [[nodiscard]] nlohmann::ordered_json json() const;
  /// "not ended: 12345 bytes can be read, behind which ..."; empty when it is whole.
  [[nodiscard]] std::string end_text() const;
};

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
