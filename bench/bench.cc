// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.h"

#include <fmt/format.h>
#include <linux/capability.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/bench_gateway.h"
#include "bench/bench_network.h"
#include "bench/bench_stream.h"
#include "bench/measured_host.h"
#include "host/confinement.h"

namespace hilgate {
namespace {

constexpr std::array<Bench, 1> kBenches = {{
    {"passthrough", kPassthroughText, bench_passthrough},
}};

constexpr std::array<Capability, 5> kRights = {{{CAP_SYS_ADMIN, "CAP_SYS_ADMIN"},
                                                {CAP_NET_ADMIN, "CAP_NET_ADMIN"},
                                                {CAP_NET_RAW, "CAP_NET_RAW"},
                                                {CAP_BPF, "CAP_BPF"},
                                                {CAP_PERFMON, "CAP_PERFMON"}}};

void print(const BenchReport& report) {
  for (const BenchFigure& figure : report) {
    fmt::print("{:<16}{:>14.2f}  {}\n", figure.name, figure.value, figure.text);
  }
}

void print_json(const BenchReport& report) {
  nlohmann::ordered_json json;
  for (const BenchFigure& figure : report) {
    json[std::string(figure.name)] = figure.value;
  }
  fmt::print("{}\n", json.dump());
}

}  // namespace

std::span<const Bench> benches() {
  return kBenches;
}

void require_bench_rights(std::string_view what) {
  require_capabilities(what, kRights);
}

int bench_command(const BenchOptions& options) {
  const auto bench =
      std::find_if(kBenches.begin(), kBenches.end(), [&](const Bench& one) { return one.name == options.bench; });
  if (bench == kBenches.end()) {
    throw std::runtime_error(fmt::format("unknown benchmark '{}'", options.bench));
  }
  require_bench_rights("hilgate bench " + options.bench);
  const BenchReport report = bench->run(options);
  options.json ? print_json(report) : print(report);
  return 0;
}

namespace {

constexpr std::size_t kTurns = 5;
constexpr std::size_t kMeasurementsPerTurn = 7;  // four rates, three round trips

struct Turn {
  double pps = 0;
  double offered = 0;  // frames per second that the kernel took from robot 0
  double rtt_us = 0;
  double long_pps = 0;  // of the longest frames
};

double round_trip_us(const BenchNetwork& network, Nanoseconds duration) {
  return static_cast<double>(quantile(ping(network, duration), 0.5).count()) / 1e3;
}

Turn measure(const BenchNetwork& network, Nanoseconds duration) {
  const Flood rate = flood(network, kSmallestFrame, duration);
  const Flood long_rate = flood(network, kLongestFrame, duration);
  return {rate.arrived_per_second, rate.sent_per_second, round_trip_us(network, duration),
          long_rate.arrived_per_second};
}

std::string passthrough_yaml(const BenchProcessors& processors) {
  const auto cpu = processors.forwarding();
  return "netsim: {type: wire}\n" + (cpu ? fmt::format("packet_loop: {{cpu: {}}}\n", *cpu) : "");
}

struct Turns {
  std::vector<double> pps, offered, xsk_pps, xsk_offered, ratio, rtt, xsk_rtt, bridge_rtt, rtt_ratio;
  std::vector<double> long_pps, xsk_long_pps, long_ratio;

  void add(const Turn& gateway, const Turn& yardstick, double bridge) {
    pps.push_back(gateway.pps);
    offered.push_back(gateway.offered);
    xsk_pps.push_back(yardstick.pps);
    xsk_offered.push_back(yardstick.offered);
    ratio.push_back(gateway.pps / yardstick.pps);
    long_pps.push_back(gateway.long_pps);
    xsk_long_pps.push_back(yardstick.long_pps);
    long_ratio.push_back(gateway.long_pps / yardstick.long_pps);
    rtt.push_back(gateway.rtt_us);
    xsk_rtt.push_back(yardstick.rtt_us);
    bridge_rtt.push_back(bridge);
    rtt_ratio.push_back(gateway.rtt_us / yardstick.rtt_us);
  }
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + kTurns / 2, values.end());
  return values[kTurns / 2];
}

}  // namespace

BenchReport bench_passthrough(const BenchOptions& options) {
  const BenchNetwork network;
  const BenchProcessors processors;
  const Nanoseconds each = options.duration / (kTurns * kMeasurementsPerTurn);
  Turns turns;
  for (std::size_t n = 0; n < kTurns; ++n) {
    Turn gateway;
    Turn yardstick;
    processors.allow_all();  // the gateway pins its loop itself
    {
      const BenchGateway running(network, passthrough_yaml(processors));
      processors.keep_traffic_off_forwarding();
      gateway = measure(network, each);
    }
    {
      const BenchForwarder running(network, processors);
      yardstick = measure(network, each);
    }
    const BenchBridge bridge(network);
    turns.add(gateway, yardstick, round_trip_us(network, each));
  }
  processors.allow_all();
  return {{"pps", median(turns.pps), "frames of 64 B per second through the gateway"},
          {"xsk_pps", median(turns.xsk_pps), "through a plain AF_XDP forwarder"},
          {"ratio", median(turns.ratio), "ratio of the two"},
          {"offered_pps", median(turns.offered),
           "frames offered to the gateway per second; the rest is lost in front of it"},
          {"xsk_offered_pps", median(turns.xsk_offered), "frames offered to the plain forwarder per second"},
          {"pps_1500", median(turns.long_pps), "frames of 1500 B payload per second through the gateway"},
          {"xsk_pps_1500", median(turns.xsk_long_pps), "through the plain forwarder"},
          {"ratio_1500", median(turns.long_ratio), "ratio of the two"},
          {"rtt_us", median(turns.rtt), "us round-trip time through the gateway"},
          {"xsk_rtt_us", median(turns.xsk_rtt), "us round-trip time through the plain forwarder"},
          {"bridge_rtt_us", median(turns.bridge_rtt), "us round-trip time through a kernel bridge"},
          {"rtt_ratio", median(turns.rtt_ratio), "round-trip ratio of gateway and plain forwarder"}};
}

}  // namespace hilgate
