// SPDX-License-Identifier: Apache-2.0
// How well the clock does beside stock ptp4l, in network namespaces, software stamps over veth. Prints a JSON line per
// result and ends with 1 when one misses its bound.
//
//   clock_accuracy slave|master|factors [SECONDS]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>

#include "clock/host_now.h"
#include "clock/reference/local_sources.h"
#include "clock/reference/ptp4l_source.h"
#include "clock/servo/disciplined_clock.h"
#include "tests/clock/served_time.h"
#include "tests/clock/slave_meter.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

struct Spread {
  double rms = 0;
  double p99 = 0;
  double median = 0;
  std::size_t count = 0;
};

Spread spread(std::vector<double> values) {
  Spread result;
  result.count = values.size();
  if (values.empty()) {
    return result;
  }
  for (double& value : values) {
    value = std::abs(value);
    result.rms += value * value;
  }
  std::sort(values.begin(), values.end());
  result.rms = std::sqrt(result.rms / static_cast<double>(values.size()));
  result.p99 = values[(values.size() * 99 + 99) / 100 - 1];
  result.median = values[values.size() / 2];
  return result;
}

double ns(Nanoseconds span) {
  return static_cast<double>(span.count());
}

/// A gateway slaved to a stock master, by way of a stock slave on the same pair: what each says its offset is.
bool measure_slave(std::chrono::seconds time) {
  PtpLab lab;
  const auto master = lab.start_ptp4l(PtpLab::Side::kA, "master", master_options());
  const auto slave = lab.start_ptp4l(PtpLab::Side::kB, "slave", measuring_options());
  Ptp4lOptions options;
  options.management = {.server = lab.socket("slave"), .directory = lab.directory() / "own", .domain = 0};
  DisciplinedClock clock{std::make_unique<Ptp4lSource>(options), {}, read_system_tai()};
  const RealtimeBridge truth;  // the master serves the machine's own CLOCK_REALTIME
  std::vector<double> gateway;
  std::vector<double> stock;
  std::vector<double> errors;
  std::vector<double> boundaries;
  const HostTime start = host_now();
  constexpr Nanoseconds kSettle = 15s;
  while (host_now() < start + kSettle + time) {
    const HostTime now = host_now();
    clock.poll(now);
    if (now > start + kSettle) {
      const auto error = [&](HostTime at) {
        return ns(clock.windows().plan().wall(at).time_since_epoch()) - static_cast<double>(truth.realtime_ns(at));
      };
      errors.push_back(error(now));
      boundaries.push_back(error(clock.windows().plan().next_boundary(now)));
      if (const auto& sample = clock.last_sample()) {
        gateway.push_back(ns(clock.last_offset()));
        stock.push_back(static_cast<double>(truth.realtime_ns(sample->host)) - ns(sample->wall.time_since_epoch()));
      }
    }
    std::this_thread::sleep_for(20ms);
  }
  const Spread ours = spread(gateway);
  const Spread theirs = spread(stock);
  const bool good = ours.count > 0 && ours.p99 <= 2 * theirs.p99;
  std::printf(
      "{\"what\": \"slave\", \"samples\": %zu, \"gateway_p99_ns\": %.0f, \"stock_p99_ns\": %.0f, "
      "\"bound\": 2, \"ratio\": %.2f, \"true_error_p99_ns\": %.0f, \"true_error_rms_ns\": %.0f, "
      "\"window_boundary_error_p99_ns\": %.0f, \"good\": %s}\n",
      ours.count, ours.p99, theirs.p99, ours.p99 / theirs.p99, spread(errors).p99, spread(errors).rms,
      spread(boundaries).p99, good ? "true" : "false");
  return good;
}

/// A stock slave's offsets, from what `expected` says they should be.
std::vector<double> offsets(SlaveMeter& meter, std::chrono::seconds time,
                            const std::function<Nanoseconds(HostTime)>& expected) {
  std::vector<double> result;
  const auto first = meter.next(30s);
  for (auto seen = first; seen && seen->arrived - first->arrived < time + 5s; seen = meter.next(5s)) {
    if (seen->arrived - first->arrived > 5s) {
      result.push_back(ns(seen->offset - expected(seen->arrived)));
    }
  }
  return result;
}

/// A stock slave of hilgate at factor 1 beside a stock slave of a stock master, at the same time.
bool measure_master(std::chrono::seconds time) {
  PtpLab stock_lab;
  PtpLab lab;
  const auto stock_master = stock_lab.start_ptp4l(PtpLab::Side::kA, "master", master_options());
  const auto stock_slave = stock_lab.start_ptp4l(PtpLab::Side::kB, "slave", measuring_options());
  const RealtimeBridge bridge;
  ServedTime master{lab, PtpLab::Side::kA, PtpTransportKind::kUdp4, {}, 1, 1'000'000s};
  const auto slave = lab.start_ptp4l(PtpLab::Side::kB, "slave", measuring_options());
  SlaveMeter stock_meter{stock_lab, "slave"};
  SlaveMeter meter{lab, "slave"};
  std::vector<double> theirs;
  std::thread beside{[&] { theirs = offsets(stock_meter, time, [](HostTime) { return 0ns; }); }};
  const std::vector<double> ours = offsets(meter, time, [&](HostTime host) {
    return Nanoseconds{bridge.realtime_ns(host)} - master.at(host).time_since_epoch();
  });
  beside.join();
  const Spread a = spread(ours);
  const Spread b = spread(theirs);
  const bool good = a.count > 0 && a.rms <= 1.5 * b.rms;
  std::printf(
      "{\"what\": \"master\", \"samples\": %zu, \"hilgate_rms_ns\": %.0f, \"stock_rms_ns\": %.0f, "
      "\"bound\": 1.5, \"ratio\": %.2f, \"hilgate_median_ns\": %.0f, \"stock_median_ns\": %.0f, \"good\": %s}\n",
      a.count, a.rms, b.rms, a.rms / b.rms, a.median, b.median, good ? "true" : "false");
  return good;
}

/// The median of the slopes between far apart measurements (P. K. Sen, JASA 63, 1968): blind to single late stamps.
double slope(const std::vector<SlaveMeasurement>& seen) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (std::size_t k = i + seen.size() / 3; k < seen.size(); ++k) {
      slopes.push_back(ns(seen[k].master_left - seen[i].master_left) / ns(seen[k].arrived - seen[i].arrived));
    }
  }
  if (slopes.empty()) {
    return -1;
  }
  std::nth_element(slopes.begin(), slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2), slopes.end());
  return slopes[slopes.size() / 2];
}

struct FactorResult {
  double rate = -1;
  double delay_ns = 0;
  std::size_t count = 0;
};

FactorResult follow(double factor, std::chrono::seconds epoch, std::chrono::seconds time) {
  PtpLab lab;
  GrandmasterOptions options;
  options.answer = DelayAnswer::kUnit;
  ServedTime master{lab, PtpLab::Side::kA, PtpTransportKind::kUdp4, options, factor, epoch};
  const auto slave = lab.start_ptp4l(PtpLab::Side::kB, "slave", measuring_options());
  SlaveMeter meter{lab, "slave"};
  std::vector<SlaveMeasurement> seen;
  while (const auto next = meter.next(seen.empty() ? 30s : 5s)) {
    seen.push_back(*next);
    if (next->arrived - seen.front().arrived > time) {
      break;
    }
  }
  std::vector<double> delays;
  for (const auto& one : seen) {
    delays.push_back(ns(one.path_delay));
  }
  return {slope(seen), spread(delays).median, seen.size()};
}

/// Unsteered stock slaves at every factor and epoch. The true delay is what the slave of factor 1 measures.
bool measure_factors(std::chrono::seconds time) {
  const double true_delay = follow(1, 0s, 5s).delay_ns;
  bool all_good = true;
  for (const std::chrono::seconds epoch : {std::chrono::seconds{0}, std::chrono::seconds{4'102'444'800}}) {
    for (const double factor : {0.5, 2.0, 10.0, 0.0}) {
      const FactorResult seen = follow(factor, epoch, time);
      const double ppm = (seen.rate - factor) / (factor > 0 ? factor : 1) * 1e6;
      const bool good = seen.count > 0 && std::abs(ppm) <= 1 && std::abs(seen.delay_ns - true_delay) <= 5000;
      all_good = all_good && good;
      std::printf(
          "{\"what\": \"factor\", \"factor\": %g, \"epoch_s\": %lld, \"samples\": %zu, \"error_ppm\": %.3f, "
          "\"bound_ppm\": 1, \"path_delay_ns\": %.0f, \"true_path_delay_ns\": %.0f, \"bound_ns\": 5000, "
          "\"good\": %s}\n",
          factor, static_cast<long long>(epoch.count()), seen.count, ppm, seen.delay_ns, true_delay,
          good ? "true" : "false");
      std::fflush(stdout);
    }
  }
  return all_good;
}

}  // namespace
}  // namespace hilgate::test

int main(int argc, char** argv) {
  using namespace hilgate::test;
  const std::string what = argc > 1 ? argv[1] : "";
  const auto time = [&](int unless_told) { return std::chrono::seconds{argc > 2 ? std::atoi(argv[2]) : unless_told}; };
  if (what == "slave") {
    return measure_slave(time(60)) ? 0 : 1;
  }
  if (what == "master") {
    return measure_master(time(60)) ? 0 : 1;
  }
  if (what == "factors") {
    return measure_factors(time(10)) ? 0 : 1;
  }
  std::fprintf(stderr, "usage: clock_accuracy slave|master|factors [SECONDS]\n");
  return 2;
}
