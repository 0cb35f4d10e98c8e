// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/metrics/exporter.h"

#include <fmt/format.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/ip/host_name.hpp>
#include <asio/post.hpp>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "gateway/views/metrics/metric_sources.h"
#include "gateway/views/web/http_server.h"
#include "gateway/views/web/shared_question.h"
#include "gateway/views/web/web_guard.h"
#include "host/companion/companion_process.h"

namespace hilgate {
namespace {

constexpr std::chrono::seconds kPatience{5};
constexpr std::string_view kPath = "/metrics";
constexpr std::string_view kTextFormat = "text/plain; version=0.0.4; charset=utf-8";

// Null when the gateway does not answer; hilgate_up reports that.
nlohmann::ordered_json status_in(const std::string& answer) {
  auto reply = nlohmann::ordered_json::parse(answer, nullptr, false);
  return reply.is_object() && reply.value("ok", false) ? std::move(reply["result"]) : nlohmann::ordered_json();
}

/// What all runs say, as text for Prometheus.
class Scrape : public std::enable_shared_from_this<Scrape> {
 public:
  using Done = std::function<void(std::string)>;

  Scrape(const MetricsOptions& options, Done done) : most_links_(options.most_links), done_(std::move(done)) {
    for (const std::string& run : options.runs.empty() ? runs_of_this_machine() : options.runs) {
      reports_.push_back({.run = run, .status = nullptr});
    }
  }

  void begin(asio::io_context& context) {
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      control_call(context, control_socket(reports_[i].run), R"({"command": "status"})", kPatience,
                   [self = shared_from_this(), i](const std::string& answer) { self->take(i, answer); });
    }
    if (reports_.empty()) {
      asio::post(context, [self = shared_from_this()] { self->finish(); });
    }
  }

 private:
  void take(std::size_t run, const std::string& answer) {
    reports_[run].status = status_in(answer);
    if (++answers_ == reports_.size()) {
      finish();
    }
  }
  void finish() { done_(prometheus::TextSerializer().Serialize(metrics_of(reports_, most_links_))); }

  std::size_t most_links_;
  Done done_;
  std::vector<RunReport> reports_;
  std::size_t answers_ = 0;
};

WebListen checked_address(const MetricsOptions& options) {
  WebListen listen;
  try {
    listen = parse_web_listen(options.listen);
  } catch (const std::invalid_argument&) {
    throw std::runtime_error(fmt::format(
        "--listen {}: not an address and a port; for example 127.0.0.1:9477 or [::1]:9477", options.listen));
  }
  if (!listen.loopback && !options.insecure) {
    throw std::runtime_error(fmt::format(
        "--listen {}: other machines could read it, unencrypted; use 127.0.0.1, or add --insecure", options.listen));
  }
  return listen;
}

FileDescriptor socket_at(const WebListen& listen, const std::string& text) {
  try {
    return listen_for_http(listen);
  } catch (const std::system_error& error) {
    throw std::runtime_error(
        fmt::format("--listen {}: cannot listen there ({}); is the port taken?", text, error.code().message()));
  }
}

// Where others reach it, Prometheus may know it by any name; on this machine alone, another name is one that a page in
// a browser has given it.
std::optional<HttpResponse> refusal_of(const HttpRequest& request, const WebListen& listen, const WebGuard& guard) {
  if (listen.loopback && !request.host.empty()) {
    if (auto refusal = guard.refuse(request)) {
      return refusal;
    }
  }
  if (request.path != kPath) {
    return HttpResponse::refusal(404, "The metrics are at /metrics.");
  }
  return request.method == "GET" ? std::nullopt : std::optional(HttpResponse::refusal(405, "Use GET."));
}

}  // namespace

int metrics_command(const MetricsOptions& options) {
  asio::io_context context;
  const auto scrape = [&](Scrape::Done done) { std::make_shared<Scrape>(options, std::move(done))->begin(context); };
  if (options.once) {
    scrape([](const std::string& text) { fmt::print("{}", text); });
    context.run();
    return 0;
  }
  const WebListen listen = checked_address(options);
  const FileDescriptor socket = socket_at(listen, options.listen);
  stand_back({});
  fmt::print("metrics of {} at {}metrics\n",
             options.runs.empty() ? "all runs" : fmt::format("{} runs", options.runs.size()),
             http_address(listen, socket));
  std::fflush(stdout);
  const WebGuard guard(listen, "", asio::ip::host_name());
  SharedQuestion question(context, scrape);
  const auto take = [&](const HttpRequest& request, const HttpVisitor& visitor) {
    if (auto refusal = refusal_of(request, listen, guard)) {
      return visitor.answer(std::move(*refusal));
    }
    question.ask([answer = visitor.answer](const SharedQuestion::Text& text) {
      answer({.type = std::string(kTextFormat), .body = text});
    });
  };
  serve_http(context, listen, socket, {.take = take});
  return 0;
}

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
