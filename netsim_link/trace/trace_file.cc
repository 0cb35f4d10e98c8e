// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/trace/trace_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/config_file.h"
#include "config/plain_text.h"
#include "config/table_text.h"
#include "netsim_link/trace/trace_formats.h"

namespace hilgate {
namespace {

bool are_two_numbers(const std::vector<std::string_view>& words) {
  return words.size() == 2 &&
         std::ranges::all_of(words, [](std::string_view word) { return finite_number(word).has_value(); });
}

}  // namespace

const char* name_of(TraceFormat format) {
  switch (format) {
    case TraceFormat::kTheaterQ:
      return "theaterq";
    case TraceFormat::kMahimahi:
      return "mahimahi";
    case TraceFormat::kNetemTrace:
      return "netem-trace";
    case TraceFormat::kPensieve:
      return "pensieve";
    case TraceFormat::kCsv:
      break;
  }
  return "csv";
}

const std::vector<std::pair<std::string, TraceFormat>>& trace_formats() {
  static const std::vector<std::pair<std::string, TraceFormat>> kFormats = [] {
    std::vector<std::pair<std::string, TraceFormat>> formats;
    for (const TraceFormat format : {TraceFormat::kTheaterQ, TraceFormat::kMahimahi, TraceFormat::kNetemTrace,
                                     TraceFormat::kPensieve, TraceFormat::kCsv}) {
      formats.emplace_back(name_of(format), format);
    }
    return formats;
  }();
  return kFormats;
}

TraceFormat guess_format(std::string_view text) {
  TraceLines lines(text);
  while (lines.next()) {
    const std::string_view line = bare(lines.text());
    if (line.empty() || line.front() == '#') {
      continue;
    }
    if (line.front() == '{' || line.front() == '[') {
      return TraceFormat::kNetemTrace;
    }
    if (line.find_first_not_of("0123456789") == std::string_view::npos) {
      return TraceFormat::kMahimahi;
    }
    if (line.find(',') != std::string_view::npos && line.find_first_not_of("0123456789-, ") == std::string_view::npos) {
      return TraceFormat::kTheaterQ;
    }
    return are_two_numbers(fields_of(line, ' ')) ? TraceFormat::kPensieve : TraceFormat::kCsv;
  }
  return TraceFormat::kTheaterQ;
}

void add_entry(Trace& trace, TraceEntry entry, Nanoseconds keep) {
  if (trace.entries.size() == kMostTraceEntries) {
    throw BadEntry(fmt::format("is one too many; allowed: {} entries", kMostTraceEntries));
  }
  if (keep > kLongestTrace - trace.length) {
    throw BadEntry("makes the trace longer than 366 days; allowed: up to that");
  }
  entry.at = trace.length;
  trace.length += keep;
  trace.entries.push_back(entry);
}

void require_entries(const Trace& trace, TraceFaults& faults) {
  if (trace.entries.empty() && faults.empty()) {
    faults.add(0, fmt::format("has no whole entry of format {}", name_of(trace.format)));
  }
}

Trace parse_trace(std::string_view text, const std::string& file, std::optional<TraceFormat> format,
                  const CsvColumns& columns) {
  Trace trace;
  trace.file = file;
  trace.format = format.value_or(guess_format(text));
  switch (trace.format) {
    case TraceFormat::kTheaterQ:
      read_theaterq(text, trace);
      break;
    case TraceFormat::kMahimahi:
      read_mahimahi(text, trace);
      break;
    case TraceFormat::kNetemTrace:
      read_netem_trace(text, trace);
      break;
    case TraceFormat::kPensieve:
      read_pensieve(text, trace);
      break;
    case TraceFormat::kCsv:
      read_measured_csv(text, columns, trace);
      break;
  }
  return trace;
}

Trace read_trace(const std::string& file, std::optional<TraceFormat> format, const CsvColumns& columns) {
  return parse_trace(read_config_file(file), file, format, columns);
}

}  // namespace hilgate
