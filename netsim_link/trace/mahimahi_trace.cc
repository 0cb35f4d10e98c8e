// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>

#include "config/plain_text.h"
#include "netsim_link/trace/trace_formats.h"

namespace hilgate {
namespace {

constexpr std::int64_t kMostMilliseconds = kLongestTrace / std::chrono::milliseconds{1};

void read_opportunity(std::string_view line, Trace& trace) {
  std::int64_t ms = -1;
  const char* const end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data(), end, ms);
  if (error != std::errc{} || stop != end || ms < 0 || ms > kMostMilliseconds) {
    throw BadEntry(fmt::format("'{}' is not an instant; allowed: whole milliseconds, one a line", shown(line)));
  }
  const Nanoseconds at = std::chrono::milliseconds{ms};
  if (!trace.opportunities.empty() && at < trace.opportunities.back()) {
    throw BadEntry(fmt::format("{} ms is before {} ms in the line before; allowed: the same or later", ms,
                               trace.opportunities.back() / std::chrono::milliseconds{1}));
  }
  if (trace.opportunities.size() == kMostTraceEntries) {
    throw BadEntry(fmt::format("is one too many; allowed: {} opportunities", kMostTraceEntries));
  }
  trace.opportunities.push_back(at);
}

}  // namespace

void read_mahimahi(std::string_view text, Trace& trace) {
  TraceFaults faults(trace.file);
  TraceLines lines(text);
  while (lines.next() && read_entry(lines, faults, trace.notes, [&] { read_opportunity(lines.text(), trace); })) {
  }
  if (trace.opportunities.empty() && faults.empty()) {
    faults.add(0, "has no delivery opportunity; allowed: one instant in milliseconds a line");
  } else if (faults.empty() && trace.opportunities.back() == Nanoseconds{0}) {
    faults.add(lines.number(), "ends at 0 ms; allowed: a last opportunity after 0 ms, which is the trace's length");
  }
  faults.finish();
  trace.length = trace.opportunities.back();
  trace.has_rate = true;
}

}  // namespace hilgate
