// SPDX-License-Identifier: Apache-2.0
// Which columns of a CSV file are a trace, and in what units.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hilgate {

/// What a column may be.
enum class CsvValue : std::uint8_t {
  kTime,   // when the row begins to hold
  kKeep,   // how long the row holds, instead of kTime
  kRate,   //
  kDelay,  // one way
  kRtt,    // both ways: half of it is the delay
  kJitter,
  kLoss,
  kSinr,  // of a radio's signal at the receiver
  kCqi,   // index of TS 36.213, table 7.2.3-1, which is that of TS 38.214, table 5.2.2.1-2
};
inline constexpr std::size_t kCsvValues = 9;

/// One column: its name in the header, and its unit where the name does not say it.
struct CsvColumn {
  std::string name;
  std::string unit{};  // empty: that in the name
};

/// A row that is earlier than one in front of it.
enum class CsvOrder : std::uint8_t {
  kFault,  // is refused
  kSort,   // is sorted by its time
  kHold,   // begins with the row in front: time is held until the clock is past that again
};

struct CsvColumns {
  std::array<std::optional<CsvColumn>, kCsvValues> named{};  // by CsvValue; those that are not are found by their names
  bool fill_gaps = false;  // an empty field, "-" or "nan" is as in the row before; else a fault
  CsvOrder order = CsvOrder::kFault;
};

/// The value of that name, which is a key of `columns`: "time", "keep", "rate", ...; nothing for others.
std::optional<CsvValue> csv_value(std::string_view name);
/// All of them, for messages: "time, keep, ... or cqi".
std::string csv_value_names();
/// The orders by their names, for choices: "fault", "sort", "hold".
const std::vector<std::pair<std::string, CsvOrder>>& csv_orders();

/// A column of a file that is a value of the trace.
struct FoundColumn {
  CsvValue value;
  std::size_t index = 0;    // in the row
  std::string name{};       // in the header
  double scale = 1;         // to ns, bit/s, a share, dB or an index
  int exponent = 0;         // kTime: its unit is 10^exponent s
  bool is_date = false;     // kTime without a unit: dates are allowed
  std::string long_unit{};  // of a kTime whose numbers would be in minutes, hours or days; empty: none
};

/// The columns of `header` that are values of the trace. Throws BadEntry with the columns present and what is wrong.
std::vector<FoundColumn> find_columns(const std::vector<std::string_view>& header, const CsvColumns& columns);

}  // namespace hilgate
