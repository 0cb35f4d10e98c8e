// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "config/plain_text.h"
#include "netsim_link/trace/trace_report.h"

namespace hilgate {
namespace {

constexpr double kGraphLeft = 70, kGraphWidth = 860, kGraphHeight = 170, kGraphPitch = 220, kFirstGraph = 50;
constexpr std::size_t kBins = 860;  // one a pixel

/// One value over time: of each bin its least, mean and most.
struct Graph {
  std::string title;
  std::string colour;
  std::vector<TraceRange> bins{};
};

// 1, 2 or 5 times a power of ten, so that at most six steps reach `most`.
double step_for(double most) {
  const double decade = std::pow(10, std::floor(std::log10(most / 6)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * decade * 6 >= most) {
      return factor * decade;
    }
  }
  return 10 * decade;
}

std::size_t bin_of(const Trace& trace, Nanoseconds at) {
  const double share = static_cast<double>(at.count()) / static_cast<double>(trace.length.count());
  return std::min(kBins - 1, static_cast<std::size_t>(share * static_cast<double>(kBins)));
}

// Each bin has the values that hold in it, by the time that they do.
template <class Value>
std::vector<TraceRange> bins_of(const Trace& trace, Value value) {
  std::vector<TraceRange> bins(kBins, {1e300, 0, -1e300});
  std::vector<double> time(kBins, 0);
  const double width = static_cast<double>(trace.length.count()) / static_cast<double>(kBins);
  for (std::size_t i = 0; i < trace.entries.size(); ++i) {
    const double each = value(trace.entries[i]);
    const auto begin = static_cast<double>(trace.entries[i].at.count());
    const double end = begin + static_cast<double>(held(trace, i).count());
    for (std::size_t bin = bin_of(trace, trace.entries[i].at); bin < kBins; ++bin) {
      const double from = std::max(begin, static_cast<double>(bin) * width);
      const double to = std::min(end, static_cast<double>(bin + 1) * width);
      if (to <= from) {
        break;
      }
      bins[bin].least = std::min(bins[bin].least, each);
      bins[bin].most = std::max(bins[bin].most, each);
      bins[bin].mean += each * (to - from);
      time[bin] += to - from;
    }
  }
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    bins[bin] = time[bin] > 0 ? TraceRange{bins[bin].least, bins[bin].mean / time[bin], bins[bin].most}
                : bin > 0     ? bins[bin - 1]
                              : TraceRange{};
  }
  return bins;
}

std::vector<TraceRange> bins_of_opportunities(const Trace& trace) {
  std::vector<TraceRange> bins(kBins);
  const double seconds = static_cast<double>(trace.length.count()) / 1e9 / static_cast<double>(kBins);
  for (const Nanoseconds at : trace.opportunities) {
    bins[bin_of(trace, at)].mean += 8e-6 * kOpportunityBytes / seconds;
  }
  for (TraceRange& bin : bins) {
    bin.least = bin.most = bin.mean;
  }
  return bins;
}

std::vector<Graph> graphs_of(const Trace& trace) {
  std::vector<Graph> graphs;
  if (!trace.opportunities.empty()) {
    graphs.push_back({"delivery opportunities, Mbit/s", "#1f6f8b", bins_of_opportunities(trace)});
    return graphs;
  }
  if (trace.has_rate) {
    graphs.push_back({"rate, Mbit/s", "#1f6f8b", bins_of(trace, [](const TraceEntry& entry) {
                        return entry.bits_per_second >= kUnlimitedRate ? 0 : entry.bits_per_second / 1e6;
                      })});
  }
  if (trace.has_delay) {
    graphs.push_back({"delay, ms", "#99582a", bins_of(trace, [](const TraceEntry& entry) {
                        return static_cast<double>(entry.delay.count()) / 1e6;
                      })});
  }
  if (trace.has_loss) {
    graphs.push_back({"loss, %", "#9b2226", bins_of(trace, [](const TraceEntry& entry) { return 100 * entry.loss; })});
  }
  if (trace.has_sinr) {
    graphs.push_back({"SINR, dB", "#2d6a4f", bins_of(trace, [](const TraceEntry& entry) { return entry.sinr_db; })});
  }
  if (trace.has_cqi) {
    graphs.push_back(
        {"CQI", "#2d6a4f", bins_of(trace, [](const TraceEntry& entry) { return static_cast<double>(entry.cqi); })});
  }
  return graphs;
}

/// What the height of a graph stands for: 0, and all values.
struct Scale {
  double least = 0;
  double most = 1;
  double step = 1;  // between lines; `least` is a multiple of it

  explicit Scale(const std::vector<TraceRange>& bins) {
    double low = 0;
    double high = 0;
    for (const TraceRange& bin : bins) {
      low = std::min(low, bin.least);
      high = std::max(high, bin.most);
    }
    most = high > 0 ? 1.05 * high : low < 0 ? 0 : 1;
    step = step_for(most - low);
    least = step * std::floor(low / step);
  }
  [[nodiscard]] double y_of(double value, double top) const {
    return top + kGraphHeight * (1 - (value - least) / (most - least));
  }
};

std::string axes_of(const Trace& trace, double top, const Scale& scale) {
  std::string svg = fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#888'/>\n", kGraphLeft,
                                top, kGraphWidth, kGraphHeight);
  const auto lines = static_cast<int>((scale.most - scale.least) / scale.step);
  for (int i = 0; i <= lines; ++i) {
    const double value = scale.least + i * scale.step;
    const double y = scale.y_of(value, top);
    svg += fmt::format("<line x1='{0}' y1='{1:.1f}' x2='{2}' y2='{1:.1f}' stroke='#ddd'/>", kGraphLeft, y,
                       kGraphLeft + kGraphWidth);
    svg += fmt::format("<text x='{}' y='{:.1f}' text-anchor='end'>{:.4g}</text>\n", kGraphLeft - 6, y + 4, value);
  }
  const double seconds = static_cast<double>(trace.length.count()) / 1e9;
  const double tick = step_for(seconds);
  for (double at = 0; at <= seconds; at += tick) {
    const double x = kGraphLeft + kGraphWidth * at / seconds;
    svg += fmt::format("<line x1='{0:.1f}' y1='{1}' x2='{0:.1f}' y2='{2}' stroke='#ddd'/>", x, top, top + kGraphHeight);
    svg +=
        fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{:.4g} s</text>\n", x, top + kGraphHeight + 16, at);
  }
  return svg;
}

std::string svg_of(const Trace& trace, const Graph& graph, double top) {
  const Scale scale(graph.bins);
  std::string svg = axes_of(trace, top, scale);
  svg += fmt::format("<text x='{}' y='{}' font-weight='bold'>{}</text>\n", kGraphLeft, top - 8, graph.title);
  std::string band;
  std::string line;
  const auto y_of = [top, &scale](double value) { return scale.y_of(value, top); };
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const double x = kGraphLeft + static_cast<double>(bin) * kGraphWidth / static_cast<double>(kBins);
    const double next = x + kGraphWidth / static_cast<double>(kBins);
    band += fmt::format("M{:.1f},{:.1f}V{:.1f}H{:.1f}V{:.1f}Z", x, y_of(graph.bins[bin].least),
                        y_of(graph.bins[bin].most), next, y_of(graph.bins[bin].least));
    line +=
        fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", x, y_of(graph.bins[bin].mean), next, y_of(graph.bins[bin].mean));
  }
  svg += fmt::format("<path d='{}' fill='{}' fill-opacity='0.25'/>\n", band, graph.colour);
  svg += fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='1.2'/>\n", line, graph.colour);
  return svg;
}

}  // namespace

std::string plot_trace(const Trace& trace) {
  const std::vector<Graph> graphs = graphs_of(trace);
  const double height = kFirstGraph + kGraphPitch * static_cast<double>(graphs.size());
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 960 {0}' width='960' height='{0}' font-family='sans-serif' "
      "font-size='12'>\n<rect width='100%' height='100%' fill='white'/>\n",
      height);
  svg += fmt::format("<text x='{}' y='22' font-size='15'>{}</text>\n", kGraphLeft, escaped(trace.file));
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    svg += svg_of(trace, graphs[i], kFirstGraph + kGraphPitch * static_cast<double>(i));
  }
  return svg + "</svg>\n";
}

}  // namespace hilgate
