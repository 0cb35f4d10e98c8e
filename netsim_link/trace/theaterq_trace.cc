// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "config/plain_text.h"
#include "config/table_text.h"
#include "netsim_link/trace/trace_formats.h"

namespace hilgate {
namespace {

constexpr double kShare = 4294967295.0;  // 100 %
constexpr double kWhole32 = 4294967295.0;
constexpr Nanoseconds kMostDelay = std::chrono::hours{1};
constexpr std::array<std::size_t, 3> kColumns = {5, 9, 10};

double share_in(std::string_view text, std::string_view what) {
  return number_in(text, 0, kShare, what, "0 to 4294967295 (100 %)") / kShare;
}

double rate_in(std::string_view text) {
  const double rate = number_in(text, -9.3e18, 1e15, "RATE", "bit/s; 0 for nothing, -1 for no limit");
  return rate < 0 ? kUnlimitedRate : std::min(rate, kUnlimitedRate);
}

Nanoseconds delay_in(std::string_view text, std::string_view what) {
  return span_in(text, 1, kMostDelay, what, "0 to 3600000000000 ns (1 h)");
}

bool is_entry(std::string_view line) {
  return !line.empty() && line.front() >= '0' && line.front() <= '9';
}

// The columns after KEEP,LATENCY are one further in the extended form.
TraceEntry entry_of(const std::vector<std::string_view>& fields) {
  const bool extended = fields.size() > kColumns[0];
  const std::size_t more = extended ? 1 : 0;
  TraceEntry entry;
  entry.delay = delay_in(fields[1], "LATENCY");
  if (extended) {
    entry.jitter = delay_in(fields[2], "JITTER");
  }
  entry.bits_per_second = rate_in(fields[2 + more]);
  entry.loss = share_in(fields[3 + more], "LOSS");
  entry.queue = static_cast<std::uint32_t>(number_in(fields[4 + more], 0, kWhole32, "LIMIT", "0 to 4294967295"));
  if (extended) {
    entry.duplicate = share_in(fields[6], "DUP_PROB");
    entry.duplicate_after = delay_in(fields[7], "DUP_DELAY");
    for (std::size_t i = 8; i < fields.size(); ++i) {
      number_in(fields[i], 0, kWhole32, i == 8 ? "ROUTE_ID" : "QUEUE_ID", "0 to 4294967295");
    }
  }
  return entry;
}

void read_line(std::string_view line, std::size_t& columns, Trace& trace) {
  const std::vector<std::string_view> fields = fields_of(line, ',');
  if (columns == 0 && std::ranges::find(kColumns, fields.size()) == kColumns.end()) {
    throw BadEntry(
        fmt::format("has {} columns; allowed: 5 (KEEP,LATENCY,RATE,LOSS,LIMIT), or 9 or 10 "
                    "(KEEP,LATENCY,JITTER,RATE,LOSS,LIMIT,DUP_PROB,DUP_DELAY,ROUTE_ID[,QUEUE_ID])",
                    fields.size()));
  }
  if (columns != 0 && fields.size() != columns) {
    throw BadEntry(fmt::format("has {} columns; allowed: {}, as the lines before", fields.size(), columns));
  }
  constexpr std::string_view kKeep = "1 us to 366 days";
  const Nanoseconds keep = span_in(fields[0], 1000, kLongestTrace, "KEEP", kKeep);
  if (keep.count() < 1000) {
    throw BadEntry(fmt::format("KEEP is '{}'; allowed: {}", shown(fields[0]), kKeep));
  }
  add_entry(trace, entry_of(fields), keep);
  columns = fields.size();
}

}  // namespace

void read_theaterq(std::string_view text, Trace& trace) {
  TraceFaults faults(trace.file);
  TraceLines lines(text);
  std::size_t columns = 0;
  while (lines.next()) {
    if (is_entry(lines.text()) &&
        !read_entry(lines, faults, trace.notes, [&] { read_line(lines.text(), columns, trace); })) {
      break;
    }
  }
  require_entries(trace, faults);
  faults.finish();
  trace.has_rate = trace.has_delay = trace.has_loss = true;
  if (columns > kColumns[0]) {
    trace.notes.emplace_back("ROUTE_ID and QUEUE_ID have no effect: `order` decides whether frames may overtake");
  }
}

}  // namespace hilgate
