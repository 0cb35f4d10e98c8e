// SPDX-License-Identifier: Apache-2.0
#include "bench/stream_bench.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/bench.h"
#include "bench/bench_frames.h"
#include "bench/bench_stream.h"
#include "bench/measured_host.h"
#include "bench/rate_search.h"

namespace hilgate {
namespace {

using nlohmann::ordered_json;

constexpr double kStampsPerSecond = 20'000;  // more would load the processor that sends
constexpr double kSearchPrecision = 0.03;

class StreamBench {
 public:
  explicit StreamBench(const StreamBenchOptions& options)
      : options_(options), ends_(udp_ends(options.from, options.to)), packets_(ends_, options.size) {
    BenchProcessors{}.keep_traffic_off_forwarding();
  }

  /// Delays are given as their distance from what was asked for; `early` are those below it.
  ordered_json load(double rate) {
    StreamPlan plan = plan_of(rate, options_.duration);
    plan.stamp_every = static_cast<std::uint32_t>(rate / kStampsPerSecond) + 1;
    const Stream stream = run_stream(ends_, plan);
    std::vector<Nanoseconds> errors;
    std::uint64_t early = 0;
    for (const Nanoseconds delay : stream.delays()) {
      errors.push_back(std::chrono::abs(delay - options_.delay));
      early += delay < options_.delay ? 1 : 0;
    }
    const auto error = [&errors](double q) {
      return errors.empty() ? ordered_json() : ordered_json(microseconds_of(quantile(errors, q)));
    };
    return {{"rate", rate},         {"offered", stream.offered()}, {"loss", stream.loss()}, {"timed", errors.size()},
            {"p50_us", error(0.5)}, {"p99_us", error(0.99)},       {"max_us", error(1)},    {"early", early}};
  }

  ordered_json highest() {
    RateSearch search(
        [this](double rate) {
          const Stream stream = run_stream(ends_, plan_of(std::isfinite(rate) ? rate : 0, options_.trial));
          return RateTrial{stream.offered(), stream.loss_in_time()};
        },
        {.most = std::numeric_limits<double>::infinity(), .precision = kSearchPrecision});
    const FoundRate found = search.highest(options_.loss);
    return {{"rate", found.rate},
            {"loss", options_.loss},
            {"generator_limits", found.generator_limits},
            {"trials", search.trials()}};
  }

 private:
  [[nodiscard]] StreamPlan plan_of(double rate, Nanoseconds duration) const {
    return {.sizes = {packets_.size()},
            .per_second = rate,
            .duration = duration,
            .delay = options_.delay,
            .head = packets_.head(),
            .ethertype = UdpPackets::kEthertype};
  }

  const StreamBenchOptions& options_;
  BenchEnds ends_;
  UdpPackets packets_;
};

void print_load(const ordered_json& load) {
  const auto us = [&load](const char* key) {
    return load.at(key).is_null() ? std::string("-") : fmt::format("{:.1f}", load.at(key).get<double>());
  };
  fmt::print(
      "{:.0f} frames/s: {:.0f} offered, {:.3f} % lost; delay off by p50 {}, p99 {}, at most {} us; {} of {} early\n",
      load.at("rate").get<double>(), load.at("offered").get<double>(), 100 * load.at("loss").get<double>(),
      us("p50_us"), us("p99_us"), us("max_us"), load.at("early").get<std::uint64_t>(),
      load.at("timed").get<std::uint64_t>());
}

}  // namespace

int bench_stream_command(const StreamBenchOptions& options) {
  require_bench_rights("hilgate bench stream");
  StreamBench bench(options);
  ordered_json result{{"size", options.size}, {"delay_us", microseconds_of(options.delay)}};
  result["loads"] = ordered_json::array();
  for (const double rate : options.rates) {
    result["loads"].push_back(bench.load(rate));
    if (!options.json) {
      print_load(result["loads"].back());
    }
  }
  if (options.highest) {
    const ordered_json& found = result["highest"] = bench.highest();
    if (!options.json) {
      fmt::print("{:.0f} frames/s at most {} % lost{}\n", found.at("rate").get<double>(), 100 * options.loss,
                 found.at("generator_limits").get<bool>() ? "; more could not be offered" : "");
    }
  }
  if (options.json) {
    fmt::print("{}\n", result.dump());
  }
  return 0;
}

}  // namespace hilgate
