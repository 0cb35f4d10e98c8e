// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/trace/csv_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>

#include "config/plain_text.h"
#include "netsim_link/trace/trace_text.h"

namespace hilgate {
namespace {

struct CsvUnit {
  std::string_view name;
  double scale;
};
constexpr std::array kTimeUnits = {CsvUnit{"s", 1e9},  CsvUnit{"sec", 1e9},      CsvUnit{"seconds", 1e9},
                                   CsvUnit{"ms", 1e6}, CsvUnit{"msec", 1e6},     CsvUnit{"milliseconds", 1e6},
                                   CsvUnit{"us", 1e3}, CsvUnit{"usec", 1e3},     CsvUnit{"microseconds", 1e3},
                                   CsvUnit{"ns", 1},   CsvUnit{"nanoseconds", 1}};
// A unit with capitals is written so: MBps are bytes, and Mbps are bits.
constexpr std::array kRateUnits = {
    CsvUnit{"bit/s", 1},  CsvUnit{"bps", 1},      CsvUnit{"kbit/s", 1e3}, CsvUnit{"kbps", 1e3},  CsvUnit{"mbit/s", 1e6},
    CsvUnit{"mbps", 1e6}, CsvUnit{"gbit/s", 1e9}, CsvUnit{"gbps", 1e9},   CsvUnit{"bytes/s", 8}, CsvUnit{"B/s", 8},
    CsvUnit{"Bps", 8},    CsvUnit{"kB/s", 8e3},   CsvUnit{"kBps", 8e3},   CsvUnit{"KB/s", 8e3},  CsvUnit{"KBps", 8e3},
    CsvUnit{"MB/s", 8e6}, CsvUnit{"MBps", 8e6},   CsvUnit{"GB/s", 8e9},   CsvUnit{"GBps", 8e9}};
// Times in these are not read, and are not taken for seconds.
constexpr std::array<std::string_view, 10> kLongUnits = {"min",  "mins",  "minute", "minutes", "h",
                                                         "hour", "hours", "d",      "day",     "days"};
constexpr std::array kShareUnits = {CsvUnit{"share", 1}, CsvUnit{"ratio", 1}, CsvUnit{"%", 0.01},
                                    CsvUnit{"percent", 0.01}, CsvUnit{"pct", 0.01}};
constexpr std::array kLevelUnits = {CsvUnit{"db", 1}};
constexpr std::array kIndexUnits = {CsvUnit{"index", 1}};

struct ValueRow {
  std::string_view name;
  std::array<std::string_view, 5> words;  // of columns that are known without being named; empty: none
  std::span<const CsvUnit> units;
  bool has_one_unit = false;  // which a name need not have
};
// By CsvValue.
constexpr std::array<ValueRow, kCsvValues> kRows = {{
    {"time", {"time", "timestamp", "t", "elapsed", "elapsedtime"}, kTimeUnits},
    {"keep", {"keep", "duration", "hold"}, kTimeUnits},
    {"rate", {"rate", "bandwidth", "throughput", "bitrate", "capacity"}, kRateUnits},
    {"delay", {"delay", "latency", "owd"}, kTimeUnits},
    {"rtt", {"rtt", "ping"}, kTimeUnits},
    {"jitter", {"jitter"}, kTimeUnits},
    {"loss", {"loss", "plr"}, kShareUnits},
    {"sinr", {"sinr", "snr", "rssnr"}, kLevelUnits, true},
    {"cqi", {"cqi"}, kIndexUnits, true},
}};

const ValueRow& row_of(CsvValue value) {
  return kRows[static_cast<std::size_t>(value)];
}

// The words of a column's name: "Throughput (Mbit/s)" has two.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) != 0 || letter == '/' || letter == '%') {
      words.back() += letter;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

const CsvUnit* unit_named(const ValueRow& row, std::string_view name) {
  const auto exact = std::ranges::find(row.units, name, &CsvUnit::name);
  const auto unit =
      exact != row.units.end() ? exact : std::ranges::find(row.units, in_small_letters(name), &CsvUnit::name);
  return unit == row.units.end() ? nullptr : &*unit;
}

std::string units_of(const ValueRow& row) {
  std::vector<std::string_view> names;
  std::ranges::transform(row.units, std::back_inserter(names), &CsvUnit::name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// From the configuration, or else from the words of the column's name.
double scale_of(CsvValue value, const CsvColumn& column, bool& is_date) {
  const ValueRow& row = row_of(value);
  if (!column.unit.empty()) {
    const std::vector<std::string> asked = words_of(column.unit);
    const CsvUnit* const unit = unit_named(row, asked.front());
    if (unit == nullptr) {
      throw BadEntry(fmt::format("column '{}' is to have the unit '{}'; allowed for {}: {}", column.name, column.unit,
                                 row.name, units_of(row)));
    }
    return unit->scale;
  }
  for (const std::string& word : words_of(column.name)) {
    if (const CsvUnit* const unit = unit_named(row, word)) {
      return unit->scale;
    }
  }
  is_date = value == CsvValue::kTime;
  if (is_date) {
    return 1e9;  // seconds, where it is no date
  }
  if (row.has_one_unit) {
    return row.units.front().scale;
  }
  throw BadEntry(
      fmt::format("column '{}' does not say its unit; write it as `{}: {{column: {}, unit: U}}` under "
                  "'columns', with one of {}",
                  column.name, row.name, column.name, units_of(row)));
}

std::string long_unit_of(std::string_view name) {
  for (const std::string& word : words_of(name)) {
    if (std::ranges::find(kLongUnits, in_small_letters(word)) != kLongUnits.end()) {
      return word;
    }
  }
  return {};
}

bool is_called(const ValueRow& row, std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  return std::ranges::any_of(row.words, [&words](std::string_view word) {
    return !word.empty() && std::ranges::find(words, word, in_small_letters) != words.end();
  });
}

// The column that is named, or the only one that is called so. Empty without such a column.
std::optional<std::size_t> place_of(CsvValue value, const std::vector<std::string_view>& header,
                                    const CsvColumns& columns) {
  const auto& named = columns.named[static_cast<std::size_t>(value)];
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (named ? header[i] != named->name : !is_called(row_of(value), header[i])) {
      continue;
    }
    if (place && !named) {
      throw BadEntry(fmt::format("columns '{}' and '{}' may both be the {}; write which one is under 'columns'",
                                 header[*place], header[i], row_of(value).name));
    }
    place = place.value_or(i);
  }
  if (named && !place) {
    throw BadEntry(fmt::format("has no column '{}'; its columns are {}", named->name, fmt::join(header, ", ")));
  }
  return place;
}

bool has(const std::vector<FoundColumn>& found, CsvValue value) {
  return std::ranges::find(found, value, &FoundColumn::value) != found.end();
}

// Each of these alone decides how fast a link is.
void check_rates(const std::vector<FoundColumn>& found) {
  const FoundColumn* first = nullptr;
  for (const FoundColumn& column : found) {
    if (column.value != CsvValue::kRate && column.value != CsvValue::kSinr && column.value != CsvValue::kCqi) {
      continue;
    }
    if (first != nullptr) {
      throw BadEntry(
          fmt::format("has columns of {}, '{}', and of {}, '{}', and each of them would decide the rate; name the "
                      "columns that are to be played, with one of the two, under 'columns'",
                      row_of(first->value).name, first->name, row_of(column.value).name, column.name));
    }
    first = &column;
  }
}

void check(const std::vector<FoundColumn>& found, const std::vector<std::string_view>& header) {
  const bool timed = has(found, CsvValue::kTime) || has(found, CsvValue::kKeep);
  const bool says = std::ranges::any_of(found, [](const FoundColumn& column) {
    return column.value != CsvValue::kTime && column.value != CsvValue::kKeep;
  });
  if (!timed || !says) {
    throw BadEntry(fmt::format("has no column of {}; its columns are {}; name the columns under 'columns'",
                               timed ? "a rate, delay, loss, SINR or CQI" : "a time", fmt::join(header, ", ")));
  }
  if (has(found, CsvValue::kDelay) && has(found, CsvValue::kRtt)) {
    throw BadEntry("has a delay and an rtt, and one of them would be the delay; name one under 'columns'");
  }
  check_rates(found);
}

}  // namespace

std::optional<CsvValue> csv_value(std::string_view name) {
  const auto row = std::ranges::find(kRows, name, &ValueRow::name);
  return row == kRows.end() ? std::nullopt : std::make_optional(static_cast<CsvValue>(row - kRows.begin()));
}

std::string csv_value_names() {
  std::vector<std::string_view> names;
  std::ranges::transform(kRows, std::back_inserter(names), &ValueRow::name);
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

const std::vector<std::pair<std::string, CsvOrder>>& csv_orders() {
  static const std::vector<std::pair<std::string, CsvOrder>> kOrders = {
      {"fault", CsvOrder::kFault}, {"sort", CsvOrder::kSort}, {"hold", CsvOrder::kHold}};
  return kOrders;
}

// Columns that are named exclude all others but the time.
std::vector<FoundColumn> find_columns(const std::vector<std::string_view>& header, const CsvColumns& columns) {
  const auto is_named = [&columns](CsvValue value) {
    return columns.named[static_cast<std::size_t>(value)].has_value();
  };
  const bool any_named = std::ranges::any_of(columns.named, [](const auto& column) { return column.has_value(); });
  std::vector<FoundColumn> found;
  for (std::size_t i = 0; i < kCsvValues; ++i) {
    const auto value = static_cast<CsvValue>(i);
    const bool is_time = value == CsvValue::kTime && !is_named(CsvValue::kKeep);
    if (any_named && !is_named(value) && !is_time) {
      continue;
    }
    if (value == CsvValue::kKeep && has(found, CsvValue::kTime)) {
      continue;  // instants say it better
    }
    if (const auto place = place_of(value, header, columns)) {
      FoundColumn column{.value = value, .index = *place, .name = std::string(header[*place])};
      const auto& named = columns.named[i];
      column.scale = scale_of(value, {column.name, named ? named->unit : std::string{}}, column.is_date);
      column.long_unit = column.is_date ? long_unit_of(column.name) : "";
      column.exponent = static_cast<int>(std::lround(std::log10(column.scale))) - 9;
      column.scale *= value == CsvValue::kRtt ? 0.5 : 1;
      found.push_back(column);
    }
  }
  check(found, header);
  return found;
}

}  // namespace hilgate
