// SPDX-License-Identifier: Apache-2.0
#include "bench/certify/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "config/quantity.h"

namespace hilgate {
namespace {

constexpr CertifyLimit at_least_of_yardstick(double share) {
  return {.at_least = true, .value = share, .of_yardstick = true};
}
constexpr CertifyLimit at_most(double value) {
  return {.at_least = false, .value = value, .of_yardstick = false};
}

// A count of frames that came too early, of which no round may have one.
CertifyFigure none_early(std::string key, std::string text) {
  return {.key = std::move(key),
          .unit = "",
          .text = std::move(text),
          .yardstick = "",
          .yardstick_text = "",
          .limit = at_most(0),
          .judged_by_worst = true};
}

std::string size_text(const std::string& size) {
  return size == "imix" ? "IMIX" : size + " B";
}

bool passes(const CertifyLimit& limit, double value, double yardstick) {
  const double bound = limit.of_yardstick ? limit.value * yardstick : limit.value;
  return limit.at_least ? value >= bound : value <= bound;
}

}  // namespace

std::vector<CertifyFigure> core_figures(const std::vector<std::string>& sizes) {
  std::vector<CertifyFigure> figures;
  for (const std::string& size : sizes) {
    for (const bool ndr : {true, false}) {
      figures.push_back({.key = fmt::format("core.{}.{}", ndr ? "ndr" : "pdr", size),
                         .unit = "frames/s",
                         .text = fmt::format("{} of one core, {}, in memory", ndr ? "NDR" : "PDR", size_text(size)),
                         .yardstick = "core.forwarder." + size,
                         .yardstick_text = "the same devices without a path",
                         .limit = at_least_of_yardstick(0.25)});
    }
  }
  return figures;
}

std::vector<CertifyFigure> release_figures(const std::vector<std::string>&) {
  const std::string_view loop = "an empty loop that reads the clock";
  return {{.key = "release.p50",
           .unit = "ns",
           .text = "release error p50",
           .yardstick = "release.loop_p50",
           .yardstick_text = loop,
           .limit = at_most(100)},
          {.key = "release.p99",
           .unit = "ns",
           .text = "release error p99",
           .yardstick = "release.loop_p99",
           .yardstick_text = loop,
           .limit = at_most(1000)},
          none_early("release.early", "frames released before they were due")};
}

std::vector<CertifyFigure> wire_figures(const std::vector<std::string>& sizes) {
  std::vector<CertifyFigure> figures;
  for (const std::string& size : sizes) {
    for (const bool ndr : {true, false}) {
      const std::string what = ndr ? "ndr" : "pdr";
      figures.push_back(
          {.key = fmt::format("wire.{}.{}", what, size),
           .unit = "frames/s",
           .text = fmt::format("{} of one core, {}, veth and AF_XDP", ndr ? "NDR" : "PDR", size_text(size)),
           .yardstick = fmt::format("wire.forwarder_{}.{}", what, size),
           .yardstick_text = "a plain AF_XDP forwarder",
           .limit = at_least_of_yardstick(ndr ? 0.5 : 0.7)});
    }
  }
  struct Row {
    std::string_view key, text;
    double limit_us;
  };
  for (const unsigned load : {10U, 50U, 90U}) {
    for (const Row& row : {Row{"p50", "p50", 100}, Row{"p99", "p99", 1000}, Row{"max", "largest", 50'000}}) {
      figures.push_back({.key = fmt::format("wire.delay{}.{}", load, row.key),
                         .unit = "us",
                         .text = fmt::format("delay error at {} % of NDR, {}", load, row.text),
                         .yardstick = fmt::format("wire.forwarder_delay{}.{}", load, row.key),
                         .yardstick_text = "delay of the plain forwarder",
                         .limit = at_most(row.limit_us)});
    }
    figures.push_back(
        none_early(fmt::format("wire.delay{}.early", load), fmt::format("frames early at {} % of NDR", load)));
    for (const Row& row : {Row{"p50", "p50", 100}, Row{"p99", "p99", 1000}}) {
      figures.push_back({.key = fmt::format("wire.left{}.{}", load, row.key),
                         .unit = "us",
                         .text = fmt::format("left after due at {} % of NDR, by timestamps, {}", load, row.text),
                         .yardstick = "",
                         .yardstick_text = "",
                         .limit = at_most(row.limit_us)});
    }
    figures.push_back(none_early(fmt::format("wire.left{}.early", load),
                                 fmt::format("left before due at {} % of NDR, by timestamps", load)));
  }
  return figures;
}

std::vector<CertifyFigure> live_figures(const std::vector<std::string>&) {
  const std::string_view undisturbed = "the same time undisturbed";
  return {{.key = "live.gap.p50",
           .unit = "ms",
           .text = "fail-to-wire gap p50, stale after 10 ms",
           .yardstick = "live.gap.undisturbed",
           .yardstick_text = undisturbed,
           .limit = at_most(20)},
          {.key = "live.gap.p99",
           .unit = "ms",
           .text = "fail-to-wire gap p99",
           .yardstick = "live.gap.undisturbed",
           .yardstick_text = undisturbed,
           .limit = at_most(50)},
          {.key = "live.lost.reload",
           .unit = "",
           .text = "frames lost per reload, at half the NDR",
           .yardstick = "live.lost.undisturbed",
           .yardstick_text = undisturbed,
           .limit = at_most(0)},
          {.key = "live.lost.set",
           .unit = "",
           .text = "frames lost per changed value, at half the NDR",
           .yardstick = "live.lost.undisturbed",
           .yardstick_text = undisturbed,
           .limit = at_most(0)},
          {.key = "live.start",
           .unit = "ms",
           .text = "start to first frame",
           .yardstick = "live.forwarder_start",
           .yardstick_text = "start of the plain forwarder",
           .limit = at_most(2000)}};
}

std::vector<CertifyFigure> windows_figures(const std::vector<std::string>&) {
  return {{.key = "windows.rate",
           .unit = "windows/s",
           .text = "lockstep windows, native protocol",
           .yardstick = "windows.echo",
           .yardstick_text = "round trips with a process that answers at once",
           .limit = at_least_of_yardstick(0.1)}};
}

std::string_view name(CertifyVerdict verdict) {
  switch (verdict) {
    case CertifyVerdict::kPass:
      return "pass";
    case CertifyVerdict::kFail:
      return "fail";
    case CertifyVerdict::kNotMeasured:
      break;
  }
  return "not measured";
}

std::optional<CertifySpread> spread_of(std::vector<double> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return CertifySpread{values.front(), median, values.back()};
}

std::optional<double> CertifyLine::ratio() const {
  return spread && yardstick && yardstick->median > 0 ? std::optional(spread->median / yardstick->median)
                                                      : std::nullopt;
}

CertifyLine judge(const CertifyFigure& figure, const CertifySamples& samples, const std::string& reason) {
  const auto values_of = [&samples](const std::string& key) {
    const auto found = samples.find(key);
    return found == samples.end() ? std::vector<double>() : found->second;
  };
  CertifyLine line;
  line.figure = figure;
  line.values = values_of(figure.key);
  line.spread = spread_of(line.values);
  line.yardstick = spread_of(values_of(figure.yardstick));
  const std::size_t limited = values_of(figure.key + ".limited").size();
  if (line.values.size() < kCertifyRounds) {
    line.note = fmt::format("{} of {} rounds", line.values.size(), kCertifyRounds);
    line.note += reason.empty() ? "" : ": " + reason;
    return line;
  }
  if (figure.limit.of_yardstick && !(line.yardstick && line.yardstick->median > 0)) {
    line.note = "its yardstick was not measured";
    return line;
  }
  const CertifySpread& spread = *line.spread;
  const double judged = !figure.judged_by_worst ? spread.median : figure.limit.at_least ? spread.least : spread.most;
  const bool pass = passes(figure.limit, judged, line.yardstick ? line.yardstick->median : 0);
  line.verdict = pass ? CertifyVerdict::kPass : CertifyVerdict::kFail;
  if (limited > 0) {
    line.note = fmt::format("the generator was the limit in {} of {} rounds", limited, line.values.size());
  }
  if (!pass && 2 * limited > line.values.size()) {  // what is measured takes more than could be offered
    line.verdict = CertifyVerdict::kNotMeasured;
  }
  return line;
}

CertifyLimit read_limit(const CertifyLimit& otherwise, std::string_view text) {
  CertifyLimit limit = otherwise;
  limit.of_yardstick = !text.empty() && text.back() == 'x';
  if (limit.of_yardstick) {
    text.remove_suffix(1);
  }
  limit.value = parse_text<double>(text);
  if (!std::isfinite(limit.value) || limit.value < 0) {
    throw std::invalid_argument(fmt::format("'{}' is out of range; allowed: 0 or more", text));
  }
  return limit;
}

std::string limit_text(const CertifyLimit& limit) {
  return fmt::format("{} {:g}{}", limit.at_least ? "at least" : "at most", limit.value, limit.of_yardstick ? "x" : "");
}

}  // namespace hilgate
