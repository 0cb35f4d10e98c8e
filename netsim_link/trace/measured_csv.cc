// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "config/table_text.h"
#include "netsim_link/trace/trace_formats.h"
#include "netsim_link/trace/trace_instant.h"

namespace hilgate {
namespace {

constexpr double kMostDelayNs = 3600e9;
constexpr double kMostSinr = 100;  // dB, either way: logs have -99 for no signal
constexpr double kMostCqi = 15;

// When the rows of a file begin, in its order.
class CsvTimes {
 public:
  explicit CsvTimes(CsvOrder order) : order_(order) {}

  /// The next row's time. Throws BadEntry.
  void add(const FoundColumn& column, std::string_view text) {
    TraceInstant at = read(column, text);
    if (!rows_.empty()) {
      check_span(column, text, at);
      at = in_order(column, text, at);
    }
    earliest_ = rows_.empty() ? at : std::min(earliest_, at);
    latest_ = rows_.empty() ? at : std::max(latest_, at);
    rows_.push_back(at);
  }

  /// Forgets all rows.
  void restart() { rows_.clear(); }

  /// Gives the entries their instants, and their order.
  void place(Trace& trace) const {
    std::vector<TraceEntry>& entries = trace.entries;
    std::vector<std::size_t> places(entries.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::stable_sort(places, {}, [this](std::size_t place) { return rows_[place]; });
    std::vector<TraceEntry> sorted;
    sorted.reserve(entries.size());
    std::size_t merged = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      sorted.push_back(entries[places[i]]);
      sorted.back().at = between(rows_[places.front()], rows_[places[i]]);
      const bool is_another = i > 0 && rows_[places[i]] != rows_[places[i - 1]];
      merged += is_another && sorted[i].at == sorted[i - 1].at ? 1 : 0;
    }
    entries = std::move(sorted);
    note(trace, merged);
  }

 private:
  TraceInstant read(const FoundColumn& column, std::string_view text) {
    constexpr std::int64_t kMostEpoch = 100'000'000'000;  // in the year 5138
    if (const auto number = instant_of_number(text, column.exponent)) {
      if (column.is_date && number->seconds >= kMostEpoch) {
        throw BadEntry(
            fmt::format("{} is '{}', and no unit says that these are not seconds; write it as `time: "
                        "{{column: {}, unit: ms}}` under 'columns', or us or ns",
                        column.name, text, column.name));
      }
      if (!column.long_unit.empty()) {
        throw BadEntry(
            fmt::format("{} is '{}', in '{}' by its name; allowed: s, ms, us or ns: convert it, or write what "
                        "it is in as `time: {{column: {}, unit: s}}` under 'columns'",
                        column.name, text, column.long_unit, column.name));
      }
      return *number;
    }
    const std::optional<TraceDate> date = column.is_date ? date_of(text) : std::nullopt;
    if (!date) {
      throw BadEntry(fmt::format("{} is '{}'; allowed: a number{}", column.name, text,
                                 column.is_date ? " of seconds, or a date as 2024-05-01 10:00:00.25+02:00" : ""));
    }
    if (zone_.value_or(date->zone) != date->zone) {
      throw BadEntry(
          fmt::format("{} is '{}', and rows before it are of the zone '{}'; allowed: one zone, or an offset "
                      "from UTC in all rows, as +02:00",
                      column.name, text, *zone_));
    }
    zone_ = date->zone;
    return date->at;
  }

  void check_span(const FoundColumn& column, std::string_view text, const TraceInstant& at) const {
    constexpr std::int64_t kMost = kLongestTrace / std::chrono::seconds{1};
    const std::int64_t span = std::max(at.seconds - earliest_.seconds, latest_.seconds - at.seconds);
    const bool falls = at < earliest_ && order_ != CsvOrder::kSort;
    if (span >= kMost && !falls) {
      throw BadEntry(fmt::format("{} is '{}', {} days from another row; allowed: up to 366 days", column.name, text,
                                 span / 86'400));
    }
  }

  TraceInstant in_order(const FoundColumn& column, std::string_view text, const TraceInstant& at) {
    if (at >= latest_) {
      return at;
    }
    const bool is_rounding = latest_.seconds - at.seconds <= 1 && between(at, latest_) <= Nanoseconds{1};
    if (is_rounding) {
      return order_ == CsvOrder::kSort ? at : latest_;
    }
    if (order_ == CsvOrder::kFault) {
      throw BadEntry(
          fmt::format("{} is '{}', before that of the row in front; allowed: the same or later; "
                      "`times: sort` puts rows in order, `times: hold` lets such a row begin with the one "
                      "in front",
                      column.name, text));
    }
    ++early_;
    furthest_ = std::max(furthest_, static_cast<double>(latest_.seconds - at.seconds) +
                                        static_cast<double>(latest_.attoseconds - at.attoseconds) / 1e18);
    return order_ == CsvOrder::kHold ? latest_ : at;
  }

  // What the player does not do as the file has it.
  void note(Trace& trace, std::size_t merged) const {
    if (merged > 0) {
      trace.notes.push_back(fmt::format("{} {} in the nanosecond of the row before, whose values do not hold", merged,
                                        merged == 1 ? "row begins" : "rows begin"));
    }
    if (early_ > 0) {
      trace.notes.push_back(fmt::format("{} {} earlier than a row before, by at most {:.6g} s: {}", early_,
                                        early_ == 1 ? "row is" : "rows are", furthest_,
                                        order_ == CsvOrder::kSort ? "sorted by time" : "begin with the row in front"));
    }
  }

  CsvOrder order_;
  std::vector<TraceInstant> rows_;
  std::optional<std::string> zone_;  // of all dates
  TraceInstant earliest_;
  TraceInstant latest_;
  std::size_t early_ = 0;
  double furthest_ = 0;  // s
};

class CsvReader {
 public:
  CsvReader(std::vector<FoundColumn> columns, std::size_t width, const CsvColumns& asked, Trace& trace)
      : columns_(std::move(columns)), width_(width), fill_gaps_(asked.fill_gaps), times_(asked.order), trace_(trace) {}

  void read(const std::vector<std::string_view>& fields) {
    if (fields.size() != width_) {
      throw BadEntry(fmt::format("has {} columns; allowed: {}, as the first line", fields.size(), width_));
    }
    TraceEntry entry = trace_.entries.empty() ? TraceEntry{} : trace_.entries.back();
    std::optional<Nanoseconds> keep;
    bool timed = false;
    bool gap = false;
    for (const FoundColumn& column : columns_) {
      const std::string_view text = fields[column.index];
      if (column.value == CsvValue::kTime) {
        times_.add(column, text);
        timed = true;
      } else if (column.value == CsvValue::kKeep) {
        keep = keep_of(column, text);
      } else if (!fill_gaps_ || !is_gap(text)) {
        set(column, text, entry);
      } else if (trace_.entries.empty()) {
        times_.restart();
        return;  // the trace begins with its first whole row
      } else {
        gap = true;
      }
    }
    trace_.gaps += gap ? 1 : 0;
    if (timed) {
      add_row(entry);
      is_timed_ = true;
    } else {
      add_entry(trace_, entry, keep.value_or(Nanoseconds{0}));
    }
  }

  // The last row holds as long as the one before it, which is what rows are apart in most files.
  void end() {
    if (!is_timed_) {
      return;
    }
    times_.place(trace_);
    const std::vector<TraceEntry>& entries = trace_.entries;
    const auto before = std::find_if(entries.rbegin(), entries.rend(),
                                     [&](const TraceEntry& entry) { return entry.at < entries.back().at; });
    const Nanoseconds last = before == entries.rend() ? std::chrono::seconds{1} : entries.back().at - before->at;
    trace_.length = entries.back().at + last;
  }

 private:
  static Nanoseconds keep_of(const FoundColumn& column, std::string_view text) {
    const Nanoseconds keep = span_in(text, column.scale, kLongestTrace, column.name, "above 0, up to 366 days");
    if (keep <= Nanoseconds{0}) {
      throw BadEntry(fmt::format("{} is '{}'; allowed: above 0, up to 366 days", column.name, text));
    }
    return keep;
  }

  static std::uint8_t cqi_of(const FoundColumn& column, std::string_view text) {
    constexpr const char* kAllowed = "a whole number, 0 (out of range) to 15";
    const double index = number_in(text, 0, kMostCqi, column.name, kAllowed);
    if (index != std::floor(index)) {
      throw BadEntry(fmt::format("{} is '{}'; allowed: {}", column.name, text, kAllowed));
    }
    return static_cast<std::uint8_t>(index);
  }

  static void set(const FoundColumn& column, std::string_view text, TraceEntry& entry) {
    const double most = std::numeric_limits<double>::max();
    switch (column.value) {
      case CsvValue::kRate:
        entry.bits_per_second =
            std::min(number_in(text, 0, most, column.name, "a number, 0 or more") * column.scale, kUnlimitedRate);
        break;
      case CsvValue::kLoss:
        entry.loss =
            number_in(text, 0, 1 / column.scale, column.name, column.scale == 1 ? "0 to 1" : "0 to 100") * column.scale;
        entry.loss = std::min(entry.loss, 1.0);
        break;
      case CsvValue::kSinr:
        entry.sinr_db = number_in(text, -kMostSinr, kMostSinr, column.name, "a number of dB, -100 to 100");
        break;
      case CsvValue::kCqi:
        entry.cqi = cqi_of(column, text);
        break;
      default:
        (column.value == CsvValue::kJitter ? entry.jitter : entry.delay) = Nanoseconds{std::llround(
            number_in(text, 0, kMostDelayNs / column.scale, column.name, "a number from 0 to that of 1 h") *
            column.scale)};
    }
  }

  void add_row(const TraceEntry& entry) {
    if (trace_.entries.size() == kMostTraceEntries) {
      throw BadEntry(fmt::format("is one too many; allowed: {} entries", kMostTraceEntries));
    }
    trace_.entries.push_back(entry);
  }

  std::vector<FoundColumn> columns_;
  std::size_t width_;
  bool fill_gaps_;
  CsvTimes times_;
  bool is_timed_ = false;  // else the rows say how long they hold
  Trace& trace_;
};

// Numbers, dates and gaps: no column is called so.
bool is_row(const std::vector<std::string_view>& fields) {
  return std::ranges::all_of(fields, [](std::string_view field) {
    constexpr std::string_view kBegins = "0123456789+-.";
    return is_gap(field) || kBegins.find(field.front()) != std::string_view::npos;
  });
}

// Of a file without a header.
std::vector<FoundColumn> find_numbered(std::size_t count, const CsvColumns& columns) {
  std::vector<std::string> numbers;
  for (std::size_t i = 1; i <= count; ++i) {
    numbers.push_back(std::to_string(i));
  }
  if (std::ranges::none_of(columns.named, [](const auto& column) { return column.has_value(); })) {
    throw BadEntry(fmt::format(
        "has no header: the first line is a row of {} values; say under 'columns' which is which, by its "
        "number and with its unit, as `time: {{column: 1, unit: s}}` and `rate: {{column: 2, unit: Mbit/s}}`",
        count));
  }
  return find_columns({numbers.begin(), numbers.end()}, columns);
}

// Layout of the rows, from the first line.
struct CsvLayout {
  char separator = ',';
  bool has_header = true;
  std::size_t width = 0;
  std::vector<FoundColumn> columns{};
};

CsvLayout layout_of(std::string_view line, const CsvColumns& columns) {
  CsvLayout layout{.separator = separator_of(line)};
  const std::vector<std::string_view> fields = fields_of(line, layout.separator);
  layout.has_header = !is_row(fields);
  layout.width = fields.size();
  layout.columns = layout.has_header ? find_columns(fields, columns) : find_numbered(fields.size(), columns);
  return layout;
}

void note_values(const std::vector<FoundColumn>& columns, Trace& trace) {
  for (const FoundColumn& column : columns) {
    trace.columns.push_back(column.name);
    trace.has_rate = trace.has_rate || column.value == CsvValue::kRate;
    trace.has_delay = trace.has_delay || column.value == CsvValue::kDelay || column.value == CsvValue::kRtt ||
                      column.value == CsvValue::kJitter;
    trace.has_loss = trace.has_loss || column.value == CsvValue::kLoss;
    trace.has_sinr = trace.has_sinr || column.value == CsvValue::kSinr;
    trace.has_cqi = trace.has_cqi || column.value == CsvValue::kCqi;
  }
}

}  // namespace

void read_measured_csv(std::string_view text, const CsvColumns& columns, Trace& trace) {
  TraceFaults faults(trace.file);
  TraceLines lines(without_byte_order_mark(text));
  std::optional<CsvLayout> layout;
  std::optional<CsvReader> reader;
  while (lines.next()) {
    if (bare(lines.text()).empty() || lines.text().starts_with('#')) {
      continue;
    }
    if (!layout) {
      try {
        layout = layout_of(lines.text(), columns);
      } catch (const BadEntry& bad) {
        faults.add(lines.number(), bad.what());
        break;
      }
      note_values(layout->columns, trace);
      reader.emplace(layout->columns, layout->width, columns, trace);
      if (layout->has_header) {
        continue;
      }
    }
    const std::vector<std::string_view> fields = fields_of(lines.text(), layout->separator);
    if (fields.size() < layout->width && lines.is_last()) {  // a logger that was stopped may still end its line
      trace.notes.push_back(lines.cut_off_text());
      break;
    }
    if (!read_entry(lines, faults, trace.notes, [&] { reader->read(fields); })) {
      break;
    }
  }
  if (reader) {
    reader->end();
  }
  require_entries(trace, faults);
  faults.finish();
}

}  // namespace hilgate
