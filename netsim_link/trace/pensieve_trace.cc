// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>
#include <optional>

#include "config/plain_text.h"
#include "config/table_text.h"
#include "netsim_link/trace/trace_formats.h"
#include "netsim_link/trace/trace_instant.h"

namespace hilgate {
namespace {

constexpr std::size_t kPensieveColumns = 2;

class PensieveReader {
 public:
  explicit PensieveReader(Trace& trace) : trace_(trace) {}

  void read(const std::vector<std::string_view>& fields) {
    if (fields.size() != kPensieveColumns) {
      throw BadEntry(fmt::format("has {} columns; allowed: 2, the time in s and the rate in Mbit/s", fields.size()));
    }
    const std::optional<TraceInstant> at = instant_of_number(fields[0], 0);
    if (!at) {
      throw BadEntry(fmt::format("the time is '{}'; allowed: a number of seconds", shown(fields[0])));
    }
    const double most = std::numeric_limits<double>::max();
    TraceEntry entry;
    entry.bits_per_second =
        std::min(number_in(fields[1], 0, most, "the rate", "a number of Mbit/s, 0 or more") * 1e6, kUnlimitedRate);
    if (before_) {
      add(entry, fields[0], *at);
    }
    before_ = at;
  }

  [[nodiscard]] bool has_begun() const { return before_.has_value(); }

 private:
  void add(const TraceEntry& entry, std::string_view text, const TraceInstant& at) {
    constexpr std::int64_t kMost = kLongestTrace / std::chrono::seconds{1};
    if (at < *before_) {
      throw BadEntry(
          fmt::format("the time is '{}', before that of the row in front; allowed: the same or later", shown(text)));
    }
    if (at.seconds - before_->seconds > kMost) {
      throw BadEntry(fmt::format("the time is '{}', {} days after the row in front; allowed: up to 366 days",
                                 shown(text), (at.seconds - before_->seconds) / 86'400));
    }
    if (const Nanoseconds keep = between(*before_, at); keep > Nanoseconds{0}) {
      add_entry(trace_, entry, keep);
    }
  }

  Trace& trace_;
  std::optional<TraceInstant> before_;  // when the row in front ends
};

}  // namespace

void read_pensieve(std::string_view text, Trace& trace) {
  TraceFaults faults(trace.file);
  TraceLines lines(text);
  PensieveReader reader(trace);
  while (lines.next()) {
    if (bare(lines.text()).empty() || lines.text().starts_with('#')) {
      continue;
    }
    if (!read_entry(lines, faults, trace.notes, [&] { reader.read(fields_of(lines.text(), ' ')); })) {
      break;
    }
  }
  if (trace.entries.empty() && faults.empty() && reader.has_begun()) {
    faults.add(0, "has no span of time; allowed: two rows or more, the first of them at the beginning");
  }
  require_entries(trace, faults);
  faults.finish();
  trace.has_rate = true;
  trace.notes.emplace_back(
      "two columns without a header are read as Pensieve reads them: s and Mbit/s, and a row's rate "
      "holds since the row in front; `format: csv` with `columns: {time: {column: 1, unit: s}, "
      "rate: {column: 2, unit: Mbit/s}}` lets it hold from its own time on");
}

}  // namespace hilgate
