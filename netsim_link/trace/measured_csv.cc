// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "config/plain_text.h"
#include "netsim_link/trace/trace_formats.h"

namespace hilgate {
namespace {

constexpr double kMostDelayNs = 3600e9;

// Days since 1970-01-01 in the Gregorian calendar, by H. Hinnant's days_from_civil.
std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719'468;
}

// 2019.12.14_12.00.01, 2024-05-01T10:00:00.250Z: six numbers with marks between them, and a fraction. Seconds; a zone
// that follows is the same for all rows.
std::optional<double> date_of(std::string_view text) {
  std::array<std::int64_t, 6> parts{};
  std::size_t at = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const std::size_t begin = at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && at - begin < 4; ++at) {
      parts[part] = 10 * parts[part] + (text[at] - '0');
    }
    const bool last = part + 1 == parts.size();
    if (at == begin || (!last && at++ == text.size())) {
      return std::nullopt;
    }
  }
  double fraction = 0;
  if (at < text.size() && text[at] == '.') {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at + 1), text.size());
    fraction = finite_number(text.substr(at, end - at)).value_or(0);
  }
  const bool good = parts[1] >= 1 && parts[1] <= 12 && parts[2] >= 1 && parts[2] <= 31 && parts[3] < 24 &&
                    parts[4] < 60 && parts[5] <= 60;
  if (!good) {
    return std::nullopt;
  }
  const std::int64_t day = days_of(parts[0], parts[1], parts[2]);
  return static_cast<double>(((day * 24 + parts[3]) * 60 + parts[4]) * 60 + parts[5]) + fraction;
}

bool is_gap(std::string_view text) {
  return text.empty() || text == "-" || text == "nan" || text == "NaN" || text == "NA" || text == "null";
}

class CsvReader {
 public:
  CsvReader(std::vector<FoundColumn> columns, std::size_t width, bool fill_gaps, Trace& trace)
      : columns_(std::move(columns)), width_(width), fill_gaps_(fill_gaps), trace_(trace) {}

  void read(const std::vector<std::string_view>& fields) {
    if (fields.size() != width_) {
      throw BadEntry(fmt::format("has {} columns; allowed: {}, as the header", fields.size(), width_));
    }
    TraceEntry entry = trace_.entries.empty() ? TraceEntry{} : trace_.entries.back();
    std::optional<Nanoseconds> keep;
    for (const FoundColumn& column : columns_) {
      const std::string_view text = fields[column.index];
      if (column.value == CsvValue::kTime) {
        begin_at(time_of(column, text), entry);
      } else if (column.value == CsvValue::kKeep) {
        keep = keep_of(column, text);
      } else if (!fill_gaps_ || !is_gap(text)) {
        set(column, text, entry);
      } else if (trace_.entries.empty()) {
        begun_ = false;  // the trace begins with its first whole row
        return;
      }
    }
    if (keep) {
      add_entry(trace_, entry, *keep);
    } else {
      add_row(entry);
    }
  }

  // The last row holds as long as the one before it, which is what rows are apart in most files.
  void end() {
    std::vector<TraceEntry>& entries = trace_.entries;
    if (trace_.length == Nanoseconds{0} && !entries.empty()) {
      const auto before = std::find_if(entries.rbegin(), entries.rend(),
                                       [&](const TraceEntry& entry) { return entry.at < entries.back().at; });
      const Nanoseconds last = before == entries.rend() ? std::chrono::seconds{1} : entries.back().at - before->at;
      trace_.length = entries.back().at + last;
    }
  }

 private:
  // A clock that counts from 1970 in nanoseconds has more digits than a double: the first row is 0 s.
  Nanoseconds time_of(const FoundColumn& column, std::string_view text) {
    std::optional<double> units = finite_number(text);
    if (!units && column.is_date) {
      units = date_of(text);
    }
    if (!units || std::abs(*units) > 1e19) {
      throw BadEntry(fmt::format("{} is '{}'; allowed: a number{}", column.name, text,
                                 column.is_date ? " of seconds, or a date as 2024-05-01 10:00:00.25" : ""));
    }
    first_ = begun_ ? first_ : *units;
    begun_ = true;
    const double ns = (*units - first_) * column.scale;
    if (ns > static_cast<double>(kLongestTrace.count())) {
      throw BadEntry(fmt::format("{} is '{}', {:.0f} days after the first; allowed: up to 366 days", column.name, text,
                                 ns / 86'400e9));
    }
    if (ns < static_cast<double>(last_.count())) {
      throw BadEntry(
          fmt::format("{} is '{}', before that of the row in front; allowed: the same or later", column.name, text));
    }
    last_ = Nanoseconds{std::llround(ns)};
    return last_;
  }

  static void begin_at(Nanoseconds at, TraceEntry& entry) { entry.at = at; }

  static Nanoseconds keep_of(const FoundColumn& column, std::string_view text) {
    const Nanoseconds keep = span_in(text, column.scale, kLongestTrace, column.name, "above 0, up to 366 days");
    if (keep <= Nanoseconds{0}) {
      throw BadEntry(fmt::format("{} is '{}'; allowed: above 0, up to 366 days", column.name, text));
    }
    return keep;
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
  Trace& trace_;
  double first_ = 0;  // what is 0 s, once it has begun
  bool begun_ = false;
  Nanoseconds last_{0};
};

// Of the separators that people use, the one that the header has most of.
char separator_of(std::string_view header) {
  constexpr std::string_view kSeparators = ",;\t";
  return *std::ranges::max_element(kSeparators, {}, [header](char mark) { return std::ranges::count(header, mark); });
}

}  // namespace

void read_measured_csv(std::string_view text, const CsvColumns& columns, Trace& trace) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  TraceFaults faults(trace.file);
  TraceLines lines(text);
  std::optional<CsvReader> reader;
  char separator = ',';
  while (lines.next()) {
    if (bare(lines.text()).empty() || lines.text().starts_with('#')) {
      continue;
    }
    if (!reader) {
      try {
        separator = separator_of(lines.text());
        const std::vector<std::string_view> header = fields_of(lines.text(), separator);
        const std::vector<FoundColumn> found = find_columns(header, columns);
        for (const FoundColumn& column : found) {
          trace.has_rate = trace.has_rate || column.value == CsvValue::kRate;
          trace.has_delay = trace.has_delay || column.value == CsvValue::kDelay || column.value == CsvValue::kRtt ||
                            column.value == CsvValue::kJitter;
          trace.has_loss = trace.has_loss || column.value == CsvValue::kLoss;
        }
        reader.emplace(found, header.size(), columns.fill_gaps, trace);
      } catch (const BadEntry& bad) {
        faults.add(lines.number(), bad.what());
        break;
      }
    } else if (!read_entry(lines, faults, trace.notes, [&] { reader->read(fields_of(lines.text(), separator)); })) {
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
