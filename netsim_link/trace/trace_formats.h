// SPDX-License-Identifier: Apache-2.0
// The formats of traces. Each reader takes the text of a file whose name is in `trace`, and fills in the rest.
// They throw ConfigError with a line for each fault; a text that is cut off is read to its last whole entry, and a note
// in `trace` gives that position.
#pragma once

#include <string_view>

#include "netsim_link/trace/csv_columns.h"
#include "netsim_link/trace/trace.h"
#include "netsim_link/trace/trace_text.h"

namespace hilgate {

/// TheaterQ (github.com/cs7org/TheaterQ): lines without a header, each with the time that it holds.
///   KEEP,LATENCY,RATE,LOSS,LIMIT
///   KEEP,LATENCY,JITTER,RATE,LOSS,LIMIT,DUP_PROB,DUP_DELAY,ROUTE_ID[,QUEUE_ID]
/// KEEP in us; LATENCY, JITTER and DUP_DELAY in ns; RATE in bit/s, 0 nothing passes, below 0 unlimited; LOSS and
/// DUP_PROB as 32-bit shares, 4294967295 always; LIMIT in frames that wait, 0 without limit. Lines that begin with no
/// digit are comments. ROUTE_ID and QUEUE_ID are checked and have no effect.
void read_theaterq(std::string_view text, Trace& trace);

/// Mahimahi (github.com/ravinet/mahimahi): one delivery opportunity a line, in whole milliseconds, not falling. The
/// last one is the trace's length.
void read_mahimahi(std::string_view text, Trace& trace);

/// netem-trace (github.com/stack-rs/netem-trace), which rattan plays: JSON of one kind of value. StaticBwConfig,
/// TraceBwConfig, RepeatedBwPatternConfig, StaticDelayConfig, RepeatedDelayPatternConfig, StaticLossConfig and
/// RepeatedLossPatternConfig. Models that draw random values are refused.
void read_netem_trace(std::string_view text, Trace& trace);

/// Pensieve (github.com/hongzimao/pensieve, sim/load_trace.py and sim/env.py): two numbers a line with blanks between
/// them, the time in s and the rate in Mbit/s. The rate holds from the time of the line in front to that of its own, so
/// that the first line's has no effect.
void read_pensieve(std::string_view text, Trace& trace);

/// Columns with names, as measured data is published; without a header they are called 1, 2, ...
void read_measured_csv(std::string_view text, const CsvColumns& columns, Trace& trace);

/// For readers: appends an entry that holds for `keep`. Throws BadEntry where the trace becomes too long.
void add_entry(Trace& trace, TraceEntry entry, Nanoseconds keep);
/// For readers: a fault of the file where nothing was read and no other is known.
void require_entries(const Trace& trace, TraceFaults& faults);

}  // namespace hilgate
