// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "config/svg_plot.h"
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

// 0 and all values, from a round number on.
PlotAxis values_of(const std::vector<TraceRange>& bins) {
  double low = 0;
  double high = 0;
  for (const TraceRange& bin : bins) {
    low = std::min(low, bin.least);
    high = std::max(high, bin.most);
  }
  PlotAxis axis{.most = high > 0 ? 1.05 * high : low < 0 ? 0 : 1, .steps = 6};
  const double step = round_up((axis.most - low) / axis.steps);
  axis.least = step * std::floor(low / step);
  return axis;
}

std::string svg_of(const Trace& trace, const Graph& graph, double top) {
  const double seconds = static_cast<double>(trace.length.count()) / 1e9;
  const SvgPlot plot({kGraphLeft, top, kGraphWidth, kGraphHeight}, {.most = seconds, .steps = 6, .unit = "s"},
                     values_of(graph.bins));
  const double width = seconds / static_cast<double>(kBins);
  std::string band;
  std::vector<std::pair<double, double>> means;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const double from = static_cast<double>(bin) * width;
    const double least = plot.y(graph.bins[bin].least);
    band += fmt::format("M{:.1f},{:.1f}V{:.1f}H{:.1f}V{:.1f}Z", plot.x(from), least, plot.y(graph.bins[bin].most),
                        plot.x(from + width), least);
    means.insert(means.end(), {{from, graph.bins[bin].mean}, {from + width, graph.bins[bin].mean}});
  }
  return plot.axes() + svg_text(kGraphLeft, top - 8, graph.title, "font-weight='bold'") +
         fmt::format("<path d='{}' fill='{}' fill-opacity='0.25'/>\n", band, graph.colour) +
         plot.line(means, graph.colour, 1.2);
}

}  // namespace

std::string plot_trace(const Trace& trace) {
  const std::vector<Graph> graphs = graphs_of(trace);
  const double height = kFirstGraph + kGraphPitch * static_cast<double>(graphs.size());
  std::string svg;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    svg += svg_of(trace, graphs[i], kFirstGraph + kGraphPitch * static_cast<double>(i));
  }
  return svg_picture(960, height, trace.file, svg);
}

}  // namespace hilgate
