// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/record_tables.h"

#include <array>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "gateway/record/record_reader.h"

namespace hilgate {
namespace {

/// One table in a file. A cell is a number, a text, true or false, or null for none.
class TableFile {
 public:
  using Cell = nlohmann::ordered_json;

  /// Throws std::system_error.
  TableFile(const std::filesystem::path& folder, const std::string& name, std::vector<std::string> columns,
            TableFormat format);

  void row(const std::vector<Cell>& cells);
  /// Throws std::system_error when something could not be written.
  void close();

 private:
  std::filesystem::path file_;
  std::vector<std::string> columns_;
  TableFormat format_;
  std::ofstream out_;
};

// RFC 4180: what has commas, quotes or line ends is in quotes.
std::string csv_cell(const TableFile::Cell& cell) {
  if (cell.is_null()) {
    return {};
  }
  if (!cell.is_string()) {
    return cell.dump();
  }
  const auto& text = cell.get_ref<const std::string&>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + '"';
}

TableFile::TableFile(const std::filesystem::path& folder, const std::string& name, std::vector<std::string> columns,
                     TableFormat format)
    : file_(folder / (name + (format == TableFormat::kCsv ? ".csv" : ".jsonl"))),
      columns_(std::move(columns)),
      format_(format),
      out_(file_) {
  if (!out_) {
    throw std::system_error(errno, std::generic_category(), file_.string());
  }
  if (format_ == TableFormat::kCsv) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      out_ << (i > 0 ? "," : "") << columns_[i];
    }
    out_ << '\n';
  }
}

void TableFile::row(const std::vector<Cell>& cells) {
  if (format_ == TableFormat::kJson) {
    Cell object = Cell::object();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      object[columns_[i]] = cells.at(i);
    }
    out_ << object.dump() << '\n';
    return;
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    out_ << (i > 0 ? "," : "") << csv_cell(cells.at(i));
  }
  out_ << '\n';
}

void TableFile::close() {
  out_.close();
  if (!out_) {
    throw std::system_error(errno, std::generic_category(), file_.string());
  }
}

using Cell = TableFile::Cell;

double seconds(Nanoseconds at) {
  return static_cast<double>(at.count() / 1000) / 1e6;
}
double sim_seconds(SimTime at) {
  return seconds_of(at.time_since_epoch());
}

/// Of the clock's status.
constexpr std::array kClockKeys = {"source", "state",    "sim_ns",         "wall_ns",      "factor", "paused",
                                   "steps",  "rate_ppb", "offset_last_ns", "tsc_error_ns", "reading"};

std::vector<std::string> clock_columns() {
  std::vector<std::string> columns{"utc_s"};
  columns.insert(columns.end(), kClockKeys.begin(), kClockKeys.end());
  return columns;
}

class Exporter final : public RecordVisitor {
 public:
  Exporter(const std::filesystem::path& folder, TableFormat format)
      : links_(folder, "links",
               {"utc_s", "sim_s", "window", "from", "to", "reachable", "line_of_sight", "rssi_dbm", "snr_db",
                "rate_mbps", "frame_loss", "ber", "delay_us"},
               format),
        stations_(folder, "stations", {"utc_s", "sim_s", "robot", "state", "access_point"}, format),
        counts_(folder, "counts",
                {"utc_s", "from", "to", "in", "released", "bytes_released", "damaged", "duplicated", "marked",
                 "failed_tries", "dropped"},
                format),
        drops_(folder, "drops", {"utc_s", "from", "to", "reason", "dropped"}, format),
        verdicts_(folder, "verdicts", {"utc_s", "packet", "to", "drop", "release_sim_s", "ber", "retries", "at_once"},
                  format),
        positions_(folder, "positions", {"utc_s", "sim_s", "robot", "x", "y", "z"}, format),
        totals_(folder, "totals",
                {"utc_s", "sim_s", "window", "in", "injected", "out", "dropped_total", "held", "frames_captured",
                 "bytes_captured", "bytes_released", "damaged", "balanced"},
                format),
        clock_(folder, "clock", clock_columns(), format),
        events_(folder, "events", {"utc_s", "what", "text"}, format) {}

  void close() {
    for (TableFile* table :
         {&links_, &stations_, &counts_, &drops_, &verdicts_, &positions_, &totals_, &clock_, &events_}) {
      table->close();
    }
  }

  void layout(Nanoseconds, const RunLayout& layout) override { layout_ = layout; }

  void links(Nanoseconds at, const Links& links) override {
    const LinkTable& table = links.table;
    const std::size_t ends = layout_.ends.size();
    for (const std::size_t link : links.changed) {
      if (link / ends == link % ends) {
        continue;
      }
      const LinkState& state = table.links[link];
      const RunLayout::Mode mode = mode_of(state);
      const double loss =
          state.reachable ? -std::expm1(-state.unicast.per_bit * static_cast<double>(mode.frame_bits)) : 1.0;
      links_.row({seconds(at), sim_seconds(table.at), table.window, layout_.ends[link / ends],
                  layout_.ends[link % ends], state.reachable, state.line_of_sight, state.rssi_dbm, state.snr_db,
                  six_digits(mode.rate_mbps), six_digits(loss), -std::expm1(-state.unicast.per_bit),
                  microseconds_of(state.delay)});
    }
    for (const std::size_t robot : links.moved) {
      const Attachment& attachment = table.attachments[robot];
      const bool at_point = attachment.state == AttachmentState::kAttached && attachment.at;
      stations_.row({seconds(at), sim_seconds(table.at), name_of(robot), state_name(attachment.state),
                     at_point ? Cell(name_of(attachment.at.value().value())) : Cell()});
    }
  }

  void counts(Nanoseconds at, const Counts& counts) override {
    const std::size_t ends = layout_.ends.size();
    for (const std::size_t link : counts.changed) {
      const LinkCountsRow& row = counts.rows[link];
      std::vector<Cell> cells{seconds(at), name_of(link / ends), name_of(link % ends)};
      std::uint64_t dropped = 0;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (i < kCounterNames.size()) {
          cells.emplace_back(row[i]);
        } else if (row[i] > 0) {
          dropped += row[i];
          drops_.row({cells[0], cells[1], cells[2], layout_.reasons.at(i - kCounterNames.size()), row[i]});
        }
      }
      cells.emplace_back(dropped);
      counts_.row(cells);
    }
  }

  void verdicts(Nanoseconds at, const std::vector<Verdict>& verdicts) override {
    for (const Verdict& verdict : verdicts) {
      verdicts_.row({seconds(at), verdict.packet, name_of(verdict.receiver.value()), std::string(name(verdict.drop)),
                     sim_seconds(verdict.release_at), verdict.ber, verdict.retries, verdict.at_once});
    }
  }

  void said(Nanoseconds at, const std::string& topic, const nlohmann::json& json) override {
    if (topic == kPositionsTopic) {
      for (const auto& [robot, place] : json.at("robots").items()) {
        positions_.row({seconds(at), json.at("sim_s"), robot, place.at("x"), place.at("y"), place.at("z")});
      }
    } else if (topic == kTotalsTopic) {
      std::vector<Cell> cells{seconds(at), json.at("sim_s"), json.at("window")};
      for (const char* key : {"in", "injected", "out", "dropped_total", "held", "frames_captured", "bytes_captured",
                              "bytes_released", "damaged", "balanced"}) {
        cells.emplace_back(json.at("totals").at(key));
      }
      totals_.row(cells);
    } else if (topic == kClockTopic) {
      std::vector<Cell> cells{seconds(at)};
      for (const char* key : kClockKeys) {
        cells.emplace_back(json.value(key, nlohmann::json()));
      }
      clock_.row(cells);
    } else if (topic == kLogTopic) {
      events_.row({seconds(at), json.value("level", "info"), json.value("text", "")});
    } else if (topic == kChangesTopic) {
      events_.row({seconds(at), json.value("what", ""), text_of_values(json)});
    } else if (topic == kMissedTopic) {
      events_.row({seconds(at), "missed", json.dump()});
    } else if (topic == kEndTopic) {
      events_.row({seconds(at), "end", json.value("why", "")});
    }
  }

 private:
  [[nodiscard]] std::string name_of(std::size_t end) const {
    return end < layout_.ends.size() ? layout_.ends[end] : "?";
  }
  [[nodiscard]] RunLayout::Mode mode_of(const LinkState& state) const {
    return state.unicast_mode < layout_.modes.size() ? layout_.modes[state.unicast_mode] : RunLayout::Mode{};
  }
  static const char* state_name(AttachmentState state) {
    return state == AttachmentState::kAttached ? "associated" : state == AttachmentState::kRoaming ? "roaming" : "none";
  }
  static std::string text_of_values(const nlohmann::json& json) {
    std::string text;
    for (const auto& value : json.value("values", nlohmann::json::array())) {
      text += (text.empty() ? "" : " ") + value.get<std::string>();
    }
    return text;
  }

  RunLayout layout_;
  TableFile links_, stations_, counts_, drops_, verdicts_, positions_, totals_, clock_, events_;
};

}  // namespace

McapEnd export_record(const std::filesystem::path& record, const std::filesystem::path& folder, TableFormat format) {
  const std::filesystem::path file = record_file(record);
  std::filesystem::create_directories(folder);
  Exporter exporter(folder, format);
  const McapEnd end = read_record(file, exporter);
  exporter.close();
  return end;
}

}  // namespace hilgate
