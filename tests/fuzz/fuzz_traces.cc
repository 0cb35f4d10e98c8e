// SPDX-License-Identifier: Apache-2.0
// Files of measured links, of all formats: what is accepted makes sense, can be reported and plotted.
#include <cmath>
#include <stdexcept>

#include "netsim_link/trace/trace_file.h"
#include "netsim_link/trace/trace_report.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

constexpr Nanoseconds kHour = std::chrono::hours{1};

bool within(Nanoseconds value, Nanoseconds most) {
  return value >= Nanoseconds{0} && value <= most;
}

void check_entries(const Trace& trace) {
  Nanoseconds before{0};
  for (const TraceEntry& entry : trace.entries) {
    require(entry.at >= before && entry.at <= trace.length, "times do not go back");
    require(entry.bits_per_second >= 0 && entry.bits_per_second <= kUnlimitedRate, "rates are rates");
    require(entry.loss >= 0 && entry.loss <= 1 && entry.duplicate >= 0 && entry.duplicate <= 1, "shares are shares");
    require(std::abs(entry.sinr_db) <= 100 && entry.cqi <= 15, "radios are radios");
    require(within(entry.delay, kHour) && within(entry.jitter, kHour) && within(entry.duplicate_after, kHour),
            "delays are not longer than an hour");
    before = entry.at;
  }
}

void check(const Trace& trace) {
  require(trace.entries.empty() != trace.opportunities.empty(), "there are entries or opportunities");
  require(trace.length > Nanoseconds{0}, "a trace has a length");
  require(trace.has_rate || trace.has_delay || trace.has_loss || trace.has_sinr || trace.has_cqi,
          "a trace speaks of something");
  require(int{trace.has_rate} + int{trace.has_sinr} + int{trace.has_cqi} <= 1, "one value decides the rate");
  check_entries(trace);
  Nanoseconds before{0};
  for (const Nanoseconds at : trace.opportunities) {
    require(at >= before && at <= trace.length, "opportunities do not go back");
    before = at;
  }
  if (trace.entries.size() < 10'000) {
    require(!report_text(trace).empty() && !report_json(trace).empty(), "there is a report");
    require(plot_trace(trace).find("nan") == std::string::npos, "the picture has numbers alone");
  }
}

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  using namespace hilgate::test;
  FuzzInput input(data, size);
  const std::uint8_t choice = input.byte();
  std::optional<TraceFormat> format;
  if (choice % 8 < 5) {
    format = static_cast<TraceFormat>(choice % 8);
  }
  CsvColumns columns;
  columns.fill_gaps = (choice & 0x40) != 0;
  columns.order = static_cast<CsvOrder>((choice >> 3) % 4 % 3);
  if ((choice & 0x80) != 0) {
    columns.named[static_cast<std::size_t>(CsvValue::kRate)] = CsvColumn{"DL", "kbit/s"};
  }
  try {
    check(parse_trace(input.rest(), "a", format, columns));
  } catch (const std::runtime_error&) {  // NOLINT(bugprone-empty-catch): refused
  }
  return 0;
}
