// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/trace/trace_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "config/plain_text.h"

namespace hilgate {
namespace {

double milliseconds(Nanoseconds span) {
  return static_cast<double>(span.count()) / 1e6;
}

template <class Value>
TraceRange range_of(const Trace& trace, Value value) {
  TraceRange range{value(trace.entries.front()), 0, value(trace.entries.front())};
  for (std::size_t i = 0; i < trace.entries.size(); ++i) {
    const double each = value(trace.entries[i]);
    range.least = std::min(range.least, each);
    range.most = std::max(range.most, each);
    range.mean += each * static_cast<double>(held(trace, i).count()) / static_cast<double>(trace.length.count());
  }
  return range;
}

double longest_gap(const std::vector<Nanoseconds>& opportunities) {
  Nanoseconds longest = opportunities.front();
  for (std::size_t i = 1; i < opportunities.size(); ++i) {
    longest = std::max(longest, opportunities[i] - opportunities[i - 1]);
  }
  return milliseconds(longest);
}

double longest_zero(const Trace& trace) {
  Nanoseconds longest{0};
  Nanoseconds silent{0};
  for (std::size_t i = 0; i < trace.entries.size(); ++i) {
    silent = trace.entries[i].bits_per_second > 0 ? Nanoseconds{0} : silent + held(trace, i);
    longest = std::max(longest, silent);
  }
  return milliseconds(longest);
}

std::string rate_text(double bits_per_second) {
  return bits_per_second >= kUnlimitedRate ? "unlimited" : fmt::format("{:.6g} Mbit/s", bits_per_second / 1e6);
}

nlohmann::json range_json(const TraceRange& range) {
  return {{"min", range.least}, {"mean", range.mean}, {"max", range.most}};
}

}  // namespace

Nanoseconds held(const Trace& trace, std::size_t index) {
  const Nanoseconds end = index + 1 < trace.entries.size() ? trace.entries[index + 1].at : trace.length;
  return end - trace.entries[index].at;
}

TraceReport report_trace(const Trace& trace) {
  TraceReport report;
  if (!trace.opportunities.empty()) {
    const double bits = 8.0 * kOpportunityBytes * static_cast<double>(trace.opportunities.size());
    report.rate.mean = bits / static_cast<double>(trace.length.count()) * 1e9;
    report.longest_silence_ms = longest_gap(trace.opportunities);
    return report;
  }
  report.rate = range_of(trace, [](const TraceEntry& entry) { return entry.bits_per_second; });
  report.delay = range_of(trace, [](const TraceEntry& entry) { return milliseconds(entry.delay); });
  report.loss = range_of(trace, [](const TraceEntry& entry) { return entry.loss; });
  report.sinr = range_of(trace, [](const TraceEntry& entry) { return entry.sinr_db; });
  report.cqi = range_of(trace, [](const TraceEntry& entry) { return static_cast<double>(entry.cqi); });
  report.out_of_range = range_of(trace, [](const TraceEntry& entry) { return entry.cqi == 0 ? 1.0 : 0.0; }).mean;
  report.longest_silence_ms = longest_zero(trace);
  return report;
}

namespace {

/// Least, median and greatest, each entry counted by the time it holds; in `unit`s.
template <class Value>
std::string spread_text(const Trace& trace, std::string_view name, std::string_view unit, Value value) {
  std::vector<std::pair<double, std::int64_t>> values;
  for (std::size_t i = 0; i < trace.entries.size(); ++i) {
    values.emplace_back(value(trace.entries[i]), held(trace, i).count());
  }
  std::ranges::sort(values);
  std::int64_t before = 0;
  const auto median = std::ranges::find_if(values, [&](const auto& one) {
    before += one.second;
    return 2 * before >= trace.length.count();
  });
  const auto number = [](double of_unit) {
    return of_unit >= kUnlimitedRate / 1e6 ? std::string("unlimited") : fmt::format("{:.6g}", of_unit);
  };
  return fmt::format("; {} {}, {}, {}{}", name, number(values.front().first), number(median->first),
                     number(values.back().first), unit);
}

std::string values_text(const Trace& trace) {
  std::string text;
  if (trace.has_rate) {
    text += spread_text(trace, "rate", " Mbit/s", [](const TraceEntry& entry) { return entry.bits_per_second / 1e6; });
  }
  if (trace.has_delay) {
    text += spread_text(trace, "delay", " ms", [](const TraceEntry& entry) { return milliseconds(entry.delay); });
  }
  if (trace.has_loss) {
    text += spread_text(trace, "loss", " %", [](const TraceEntry& entry) { return 100 * entry.loss; });
  }
  if (trace.has_sinr) {
    text += spread_text(trace, "SINR", " dB", [](const TraceEntry& entry) { return entry.sinr_db; });
  }
  if (trace.has_cqi) {
    text += spread_text(trace, "CQI", "", [](const TraceEntry& entry) { return static_cast<double>(entry.cqi); });
  }
  return text.empty() ? text : text + " (least, median, greatest)";
}

}  // namespace

std::string contents_text(const Trace& trace) {
  const double length_s = milliseconds(trace.length) / 1e3;
  if (!trace.opportunities.empty()) {
    const TraceReport report = report_trace(trace);
    return fmt::format(
        "{}, {} delivery opportunities in {:.6g} s, at most {:.6g} ms apart; rate {:.6g} Mbit/s on average",
        name_of(trace.format), trace.opportunities.size(), length_s, report.longest_silence_ms, report.rate.mean / 1e6);
  }
  Nanoseconds longest{0};
  for (std::size_t i = 0; i < trace.entries.size(); ++i) {
    longest = std::max(longest, held(trace, i));
  }
  std::string text = fmt::format("{}{}, {} {} in {:.6g} s, the longest of {:.6g} s", name_of(trace.format),
                                 trace.columns.empty() ? "" : fmt::format(" of {}", fmt::join(trace.columns, ", ")),
                                 trace.entries.size(), trace.entries.size() == 1 ? "row" : "rows", length_s,
                                 milliseconds(longest) / 1e3);
  if (trace.gaps > 0) {
    text += fmt::format(", {} with a gap", trace.gaps);
  }
  text += values_text(trace);
  for (const std::string& note : trace.notes) {
    text += "; " + note;
  }
  return text;
}

std::string report_text(const Trace& trace) {
  const TraceReport report = report_trace(trace);
  const bool opportunities = !trace.opportunities.empty();
  std::string text =
      fmt::format("{}: {}, {} {}, {:.9g} s\n", trace.file, name_of(trace.format),
                  opportunities ? trace.opportunities.size() : trace.entries.size(),
                  opportunities ? "delivery opportunities" : "entries", milliseconds(trace.length) / 1e3);
  if (opportunities) {
    text += fmt::format("rate    mean {}\n", rate_text(report.rate.mean));
  } else if (trace.has_rate) {
    const bool limited = report.rate.most < kUnlimitedRate;  // else a mean means nothing
    text += fmt::format("rate    {}{} to {}\n", limited ? fmt::format("mean {}, ", rate_text(report.rate.mean)) : "",
                        rate_text(report.rate.least), rate_text(report.rate.most));
  }
  if (trace.has_delay) {
    text += fmt::format("delay   mean {:.6g} ms, {:.6g} to {:.6g} ms\n", report.delay.mean, report.delay.least,
                        report.delay.most);
  }
  if (trace.has_loss) {
    text += fmt::format("loss    mean {:.6g} %, {:.6g} to {:.6g} %\n", 100 * report.loss.mean, 100 * report.loss.least,
                        100 * report.loss.most);
  }
  if (trace.has_sinr) {
    text += fmt::format("sinr    mean {:.6g} dB, {:.6g} to {:.6g} dB\n", report.sinr.mean, report.sinr.least,
                        report.sinr.most);
  }
  if (trace.has_cqi) {
    text += fmt::format("cqi     mean {:.6g}, {:.6g} to {:.6g}, out of range {:.6g} % of the time\n", report.cqi.mean,
                        report.cqi.least, report.cqi.most, 100 * report.out_of_range);
  }
  if (trace.has_rate) {
    text += fmt::format("silence at most {:.6g} ms\n", report.longest_silence_ms);
  }
  for (const std::string& note : trace.notes) {
    text += fmt::format("note: {}\n", note);
  }
  return text;
}

std::string report_json(const Trace& trace) {
  const TraceReport report = report_trace(trace);
  nlohmann::json json = {{"file", trace.file},
                         {"format", name_of(trace.format)},
                         {"entries", trace.entries.size()},
                         {"opportunities", trace.opportunities.size()},
                         {"length_s", milliseconds(trace.length) / 1e3},
                         {"notes", trace.notes}};
  if (!trace.opportunities.empty()) {
    json["rate_bps"] = {{"mean", report.rate.mean}};
  } else if (trace.has_rate) {
    json["rate_bps"] = range_json(report.rate);
  }
  if (trace.has_rate) {
    json["longest_silence_ms"] = report.longest_silence_ms;
  }
  if (trace.has_delay) {
    json["delay_ms"] = range_json(report.delay);
  }
  if (trace.has_loss) {
    json["loss"] = range_json(report.loss);
  }
  if (trace.has_sinr) {
    json["sinr_db"] = range_json(report.sinr);
  }
  if (trace.has_cqi) {
    json["cqi"] = range_json(report.cqi);
    json["out_of_range"] = report.out_of_range;
  }
  return json_line(json);
}

}  // namespace hilgate
