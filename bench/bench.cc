// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.h"

#include <fmt/format.h>
#include <linux/capability.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/bench_passthrough.h"
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

}  // namespace hilgate
