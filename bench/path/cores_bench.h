// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/path/path_bench.h"

namespace hilgate {

/// bench_throughput_command() for more than one core.
int bench_cores(const ThroughputOptions& options);

}  // namespace hilgate
