// SPDX-License-Identifier: Apache-2.0
// hilgate bench: measurements of the gateway on this machine, between private namespaces that are gone with the
// program. A further bench is a row in bench.cc.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"

namespace hilgate {

struct BenchOptions {
  std::string bench;                                // one of benches()
  Nanoseconds duration = std::chrono::seconds{12};  // of all its measuring together, from a second on
  bool json = false;
};

/// One figure: `name` is its key in JSON.
struct BenchFigure {
  std::string_view name;
  double value;
  std::string_view text;  // for people, unit included
};
using BenchReport = std::vector<BenchFigure>;

struct Bench {
  std::string_view name;
  std::string_view text;
  /// Throws std::runtime_error when it cannot measure here.
  BenchReport (*run)(const BenchOptions& options);
};

std::span<const Bench> benches();

/// Throws std::runtime_error, beginning with `what`, unless this process may measure between namespaces.
void require_bench_rights(std::string_view what);

/// Runs one and prints its figures: lines for people, or one JSON object. Returns the exit status, 0. Throws
/// std::runtime_error: no such bench, rights that are missing, or whatever the measuring needs and does not get.
int bench_command(const BenchOptions& options);

inline constexpr std::string_view kPassthroughText =
    "Measure rate and round-trip time of the gateway as a wire, compared with a plain AF_XDP forwarder and a kernel "
    "bridge";

/// The gateway with `netsim: wire` between two veth pairs, against the plainest AF_XDP forwarder on the same pairs and
/// the same CPU, in turns: what the gateway's own work costs. Rates are of the smallest and the longest frames, in one
/// direction; round trips of one frame at a time. Each figure is the median of its turns, `ratio` and `rtt_ratio` the
/// median of the turns' own ratios, so that a machine that is busier in one turn than in another is so to both. Where
/// as many frames arrive as are offered, it was the sender that could do no more.
///   pps xsk_pps ratio offered_pps xsk_offered_pps pps_1500 xsk_pps_1500 ratio_1500 rtt_us xsk_rtt_us bridge_rtt_us
///   rtt_ratio
BenchReport bench_passthrough(const BenchOptions& options);

}  // namespace hilgate
