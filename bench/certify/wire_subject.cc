// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.h"
#include "bench/bench_gateway.h"
#include "bench/bench_stream.h"
#include "bench/certify/subjects.h"
#include "bench/rate_search.h"
#include "gateway/run/control/control_client.h"

namespace hilgate {
namespace {

constexpr double kPartialDropRate = 0.005;
constexpr double kStampsPerSecond = 20'000;  // more would load the processor that sends

struct WireLimits {
  FoundRate ndr, pdr;
};

WireLimits limits_of(const BenchNetwork& network, const std::string& size, const CertifyForm& form) {
  RateSearch search(
      [&](double rate) {
        const Stream stream = run_stream(
            network, {.sizes = wire_sizes(size), .per_second = std::isfinite(rate) ? rate : 0, .duration = form.trial});
        return RateTrial{stream.offered(), stream.loss()};
      },
      {.most = std::numeric_limits<double>::infinity(), .precision = form.precision});
  const FoundRate ndr = search.highest(0);
  return {ndr, search.highest(kPartialDropRate)};
}

void say_rate(const CertifySay& say, const std::string& figure, const FoundRate& found) {
  say(figure, found.rate);
  if (found.generator_limits) {
    say(figure + ".limited", 1);
  }
}

/// Reports how much later than `asked` frames arrive; returns how many came early.
std::uint64_t say_delays(const BenchNetwork& network, const CertifyRound& round, double rate, Nanoseconds asked,
                         const std::string& figure, const CertifySay& say) {
  const Stream stream = run_stream(network, {.sizes = wire_sizes(loading_size(round.sizes)),
                                             .per_second = rate,
                                             .duration = round.form.delays,
                                             .stamp_every = static_cast<std::uint32_t>(rate / kStampsPerSecond) + 1});
  std::vector<Nanoseconds> errors = stream.delays();
  for (Nanoseconds& error : errors) {
    error -= asked;
  }
  say(figure + ".p50", microseconds_of(quantile(errors, 0.5)));
  say(figure + ".p99", microseconds_of(quantile(errors, 0.99)));
  say(figure + ".max", microseconds_of(quantile(errors, 1)));
  return static_cast<std::uint64_t>(
      std::count_if(errors.begin(), errors.end(), [](Nanoseconds error) { return error < Nanoseconds{0}; }));
}

/// What has left the gateway's ports so far, by the timestamps of the kernel or the driver.
struct Departures {
  std::vector<std::pair<double, std::uint64_t>> errors;  // us, frames up to there, of all ports
  std::uint64_t early = 0;

  /// Upper bound of the q-quantile of what has left since `before`, us; nothing where there were no timestamps.
  [[nodiscard]] std::optional<double> quantile(const Departures& before, double q) const {
    const auto since = [&](std::size_t i) { return errors[i].second - before.errors[i].second; };
    if (errors.empty() || since(errors.size() - 1) == 0) {
      return std::nullopt;
    }
    const double wanted = q * static_cast<double>(since(errors.size() - 1));
    std::size_t at = 0;
    while (since(at) == 0 || static_cast<double>(since(at)) < wanted) {
      ++at;
    }
    return errors[at].first;
  }
};

Departures departures_from(const BenchGateway& gateway) {
  Departures sum;
  const auto status = control_request(gateway.socket(), {{"command", "status"}});
  for (const auto& port : status["ports"]) {
    const auto& stamps = port["release_timestamps"];
    sum.early += stamps["early"].get<std::uint64_t>();
    const auto errors = stamps["errors"].get<std::vector<std::pair<double, std::uint64_t>>>();
    sum.errors.resize(errors.size());
    for (std::size_t i = 0; i < errors.size(); ++i) {
      sum.errors[i] = {errors[i].first, sum.errors[i].second + errors[i].second};
    }
  }
  return sum;
}

/// By how much frames left later than due since `before`. Without timestamps there is no figure.
void say_departures(const BenchGateway& gateway, const Departures& before, const std::string& figure,
                    const CertifySay& say) {
  const Departures now = departures_from(gateway);
  if (const auto median = now.quantile(before, 0.5)) {
    say(figure + ".p50", *median);
    say(figure + ".p99", *now.quantile(before, 0.99));
    say(figure + ".early", static_cast<double>(now.early - before.early));
  }
}

constexpr std::array<unsigned, 3> kLoads{10, 50, 90};  // percent of the NDR

}  // namespace

std::vector<std::size_t> wire_sizes(const std::string& size) {
  constexpr std::size_t kFcs = 4;
  if (size == "imix") {
    return {60, 566, 60, 60, 566, 60, 1514, 60, 566, 60, 566, 60};
  }
  return {std::stoul(size) - kFcs};
}

std::string wire_yaml(const BenchProcessors& processors, Nanoseconds delay) {
  const auto cpu = processors.forwarding();
  return fmt::format("netsim: {{type: wire}}\nlinks: [{{from: \"*\", to: \"*\", delay: {}ns}}]\n{}", delay.count(),
                     cpu ? fmt::format("packet_loop: {{cpu: {}}}\n", *cpu) : "");
}

void measure_wire(const CertifyRound& round, const CertifySay& say) {
  require_bench_rights("hilgate certify");
  const BenchNetwork network;
  const BenchProcessors processors;
  double load = 0;  // the NDR of the gateway at the first size
  {
    const BenchGateway running(network, wire_yaml(processors, kAskedDelay));
    processors.keep_traffic_off_forwarding();
    for (const std::string& size : round.sizes) {
      const WireLimits found = limits_of(network, size, round.form);
      say_rate(say, "wire.ndr." + size, found.ndr);
      say_rate(say, "wire.pdr." + size, found.pdr);
      load = size == loading_size(round.sizes) ? found.ndr.rate : load;
    }
    for (const unsigned percent : kLoads) {
      if (load > 0) {
        const std::string figure = fmt::format("wire.delay{}", percent);
        const Departures before = departures_from(running);
        say(figure + ".early",
            static_cast<double>(say_delays(network, round, load * percent / 100, kAskedDelay, figure, say)));
        say_departures(running, before, fmt::format("wire.left{}", percent), say);
      }
    }
  }
  const BenchForwarder running(network, processors);
  for (const std::string& size : round.sizes) {
    const WireLimits found = limits_of(network, size, round.form);
    say_rate(say, "wire.forwarder_ndr." + size, found.ndr);
    say_rate(say, "wire.forwarder_pdr." + size, found.pdr);
  }
  if (load <= 0) {
    throw std::runtime_error("no rate was found of which nothing is lost, and so no load to measure delays at");
  }
  for (const unsigned percent : kLoads) {
    say_delays(network, round, load * percent / 100, Nanoseconds{0}, fmt::format("wire.forwarder_delay{}", percent),
               say);
  }
}

}  // namespace hilgate
