// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "bench/path/bench_core.h"

namespace hilgate {

/// Frames per second that dpdk-testpmd forwards in mode io between two net_null devices, both directions together, with
/// one forwarding core: what the devices themselves allow. Measures for `seconds` after a second of warming up. Empty
/// when there is no dpdk-testpmd in PATH. Throws std::runtime_error with its own words when it does not run.
std::optional<double> testpmd_pps(const BenchCore& core, std::uint32_t frame_size, unsigned seconds);

}  // namespace hilgate
