// SPDX-License-Identifier: Apache-2.0
#include "gateway/metrics/exporter.h"

#include <fmt/format.h>
#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/text_serializer.h>

#include <asio/io_context.hpp>
#include <asio/ip/address.hpp>
#include <asio/signal_set.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "gateway/commands/running.h"
#include "gateway/configuration/configuration.h"
#include "gateway/daemon/control/control_client.h"
#include "gateway/metrics/run_metrics.h"

namespace hilgate {
namespace {

constexpr std::chrono::seconds kPatience{5};

RunReport ask_run(const std::string& run) {
  try {
    return {.run = run, .status = control_request(control_socket(run), {{"command", "status"}}, kPatience)};
  } catch (const std::exception&) {
    return {.run = run, .status = nullptr};  // hilgate_up says so
  }
}

/// Asks at each scrape; one scrape at a time, so that scrapers cannot keep a gateway's control thread busy.
class Gateways final : public prometheus::Collectable {
 public:
  explicit Gateways(const MetricsOptions& options) : options_(options) {}

  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override {
    const std::scoped_lock one(asking_);
    std::vector<RunReport> runs;
    for (const std::string& run : options_.runs.empty() ? runs_of_this_machine() : options_.runs) {
      runs.push_back(ask_run(run));
    }
    return metrics_of(runs, options_.most_links);
  }

 private:
  MetricsOptions options_;
  mutable std::mutex asking_;
};

// Throws unless it is ADDRESS:PORT, and what others reach is meant to be reached.
void check_address(const MetricsOptions& options) {
  const std::size_t colon = options.listen.rfind(':');
  asio::error_code error;
  std::string host = options.listen.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  const auto address = asio::ip::make_address(host, error);
  if (colon == std::string::npos || error) {
    throw std::runtime_error(fmt::format(
        "--listen {}: not an address and a port; for example 127.0.0.1:9477 or [::1]:9477", options.listen));
  }
  if (!address.is_loopback() && !options.insecure) {
    throw std::runtime_error(fmt::format(
        "--listen {}: other machines could read it, unencrypted; use 127.0.0.1, or add --insecure", options.listen));
  }
}

std::unique_ptr<prometheus::Exposer> listen_at(const std::string& address) {
  try {
    // Whoever connects and says nothing has a thread for that long.
    return std::make_unique<prometheus::Exposer>(std::vector<std::string>{
        "listening_ports", address, "num_threads", "4", "request_timeout_ms", "2000", "enable_keep_alive", "no"});
  } catch (const std::exception&) {  // its text says as much
    throw std::runtime_error(fmt::format("--listen {}: cannot listen there; is the port taken?", address));
  }
}

}  // namespace

int metrics_command(const MetricsOptions& options) {
  const auto gateways = std::make_shared<Gateways>(options);
  if (options.once) {
    fmt::print("{}", prometheus::TextSerializer().Serialize(gateways->Collect()));
    return 0;
  }
  check_address(options);
  asio::io_context context;
  asio::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([](const asio::error_code&, int) {});
  const auto exposer = listen_at(options.listen);
  exposer->RegisterCollectable(gateways);
  fmt::print("metrics of {} at http://{}:{}/metrics\n",
             options.runs.empty() ? "all runs" : fmt::format("{} runs", options.runs.size()),
             options.listen.substr(0, options.listen.rfind(':')), exposer->GetListeningPorts().front());
  std::fflush(stdout);
  context.run();
  return 0;
}

}  // namespace hilgate
