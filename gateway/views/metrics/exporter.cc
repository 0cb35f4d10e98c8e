// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/metrics/exporter.h"

#include <fmt/format.h>
#include <prometheus/text_serializer.h>

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
#include "gateway/views/metrics/run_metrics.h"
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
  serve_http(context, listen, socket, [&](const HttpRequest& request, const HttpVisitor& visitor) {
    if (auto refusal = refusal_of(request, listen, guard)) {
      return visitor.answer(std::move(*refusal));
    }
    question.ask([answer = visitor.answer](const SharedQuestion::Text& text) {
      answer({.type = std::string(kTextFormat), .body = text});
    });
  });
  return 0;
}

}  // namespace hilgate
