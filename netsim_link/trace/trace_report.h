// SPDX-License-Identifier: Apache-2.0
// The figures of a trace: what a correct player of it gives on average and at most.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "netsim_link/trace/trace.h"

namespace hilgate {

/// One value over the whole trace, each entry counted by the time it holds.
struct TraceRange {
  double least = 0;
  double mean = 0;
  double most = 0;
};

struct TraceReport {
  TraceRange rate;   // bit/s; of opportunities the mean alone
  TraceRange delay;  // ms
  TraceRange loss;   // share
  TraceRange sinr;   // dB
  TraceRange cqi;
  double out_of_range = 0;        // share of the time in which the CQI is 0
  double longest_silence_ms = 0;  // nothing can be sent: rate 0, or between two opportunities
};

/// How long entry `index` holds.
Nanoseconds held(const Trace& trace, std::size_t index);
TraceReport report_trace(const Trace& trace);

/// For people, what the file contains, in one line: columns, span, rows and how long they hold, gaps, and the least,
/// median and greatest of each value; of delivery opportunities the mean rate. Medians are over time, as means are.
std::string contents_text(const Trace& trace);
/// For people, in lines.
std::string report_text(const Trace& trace);
/// The same as a JSON object in one line.
std::string report_json(const Trace& trace);

/// The trace over time as a picture: a graph for each value that it has.
std::string plot_trace(const Trace& trace);

}  // namespace hilgate
