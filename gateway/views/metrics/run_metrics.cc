// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/metrics/run_metrics.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "gateway/views/metrics/metric_sources.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;
using Labels = std::vector<prometheus::ClientMetric::Label>;

constexpr std::string_view kLinks = "links";

// What is there at a path with dots; null when there is nothing. An empty path is the document itself.
const Json* value_at(const Json& document, std::string_view path) {
  const Json* at = &document;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const auto found = at->is_object() ? at->find(std::string(path.substr(0, dot))) : at->end();
    if (!at->is_object() || found == at->end()) {
      return nullptr;
    }
    at = &*found;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return at;
}

std::string label_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Labels labels_of(const Json& element, std::string_view list, const std::string& run) {
  Labels labels{{"run", run}};
  for (const MetricLabel& label : kMetricLabels) {
    if (label.list == list) {
      const Json* const value = value_at(element, label.key);
      labels.push_back({std::string(label.label), value == nullptr ? "" : label_text(*value)});
    }
  }
  return labels;
}

std::optional<double> number_of(const Json& value, const MetricSource& source) {
  if (source.key.empty()) {
    return 1;  // it is there
  }
  if (!source.is.empty()) {
    return value.is_string() && value.get_ref<const std::string&>() == source.is ? 1 : 0;
  }
  if (value.is_boolean()) {
    return value.get<bool>() ? 1 : 0;
  }
  return value.is_number() ? std::optional(value.get<double>() * source.scale) : std::nullopt;
}

prometheus::ClientMetric sample_of(double value, MetricKind kind, Labels labels) {
  prometheus::ClientMetric metric;
  metric.label = std::move(labels);
  (kind == MetricKind::kCounter ? metric.counter.value : metric.gauge.value) = value;
  return metric;
}

// Of rows [upper bound in us, deliveries up to there], the last of which has all.
prometheus::ClientMetric histogram_of(const Json& rows, Labels labels) {
  prometheus::ClientMetric metric;
  metric.label = std::move(labels);
  std::uint64_t below = 0;
  double bound = 0;
  for (const Json& row : rows) {
    const double from = bound;
    bound = row.at(0).get<double>() * 1e-6;
    const auto count = row.at(1).get<std::uint64_t>();
    metric.histogram.sample_sum += static_cast<double>(count - below) * (from + bound) / 2;
    metric.histogram.bucket.push_back({count, bound});
    below = count;
  }
  metric.histogram.sample_count = below;
  return metric;
}

void add_samples(const Json& element, const MetricSource& source, const std::string& run,
                 std::vector<prometheus::ClientMetric>& samples) {
  const Json* const value = value_at(element, source.key);
  if (value == nullptr) {
    return;
  }
  Labels labels = labels_of(element, source.list, run);
  if (source.kind == MetricKind::kHistogram) {
    samples.push_back(histogram_of(*value, std::move(labels)));
  } else if (source.by.empty()) {
    if (const auto number = number_of(*value, source)) {
      samples.push_back(sample_of(*number, source.kind, std::move(labels)));
    }
  } else {
    for (const auto& [name, count] : value->items()) {
      Labels each = labels;
      each.push_back({std::string(source.by), name});
      samples.push_back(sample_of(count.get<double>() * source.scale, source.kind, std::move(each)));
    }
  }
}

std::size_t links_of(const RunReport& report) {
  const Json* const links = value_at(report.status, kLinks);
  return links == nullptr ? 0 : links->size();
}

prometheus::MetricType type_of(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter:
      return prometheus::MetricType::Counter;
    case MetricKind::kHistogram:
      return prometheus::MetricType::Histogram;
    case MetricKind::kGauge:
      break;
  }
  return prometheus::MetricType::Gauge;
}

prometheus::MetricFamily gauges(const char* name, const char* text, const std::vector<RunReport>& runs,
                                const std::function<double(const RunReport&)>& value) {
  prometheus::MetricFamily family{.name = name, .help = text, .type = prometheus::MetricType::Gauge, .metric = {}};
  for (const RunReport& report : runs) {
    family.metric.push_back(sample_of(value(report), MetricKind::kGauge, {{"run", report.run}}));
  }
  return family;
}

}  // namespace

std::vector<prometheus::MetricFamily> metrics_of(const std::vector<RunReport>& runs, std::size_t most_links) {
  std::vector<prometheus::MetricFamily> families;
  families.push_back(gauges("hilgate_up", "1 when the run answers", runs,
                            [](const RunReport& report) { return report.status.is_null() ? 0 : 1; }));
  families.push_back(
      gauges("hilgate_links_left_out", "links that are not exported, because there are too many (--links)", runs,
             [most_links](const RunReport& report) { return links_of(report) > most_links ? links_of(report) : 0; }));
  for (const MetricSource& source : kMetricSources) {
    prometheus::MetricFamily family{
        .name = std::string(source.name), .help = std::string(source.text), .type = type_of(source.kind), .metric = {}};
    for (const RunReport& report : runs) {
      if (source.list.empty()) {
        add_samples(report.status, source, report.run, family.metric);
      } else if (const Json* const elements = value_at(report.status, source.list);
                 elements != nullptr && (source.list != kLinks || elements->size() <= most_links)) {
        for (const Json& element : *elements) {
          add_samples(element, source, report.run, family.metric);
        }
      }
    }
    if (!family.metric.empty()) {
      families.push_back(std::move(family));
    }
  }
  return families;
}

}  // namespace hilgate
