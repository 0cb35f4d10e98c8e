// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "bench/bench.h"

namespace hilgate {

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
