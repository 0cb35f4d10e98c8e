// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bench/bench_processors.h"
#include "clock/time.h"

namespace hilgate {

inline constexpr Nanoseconds kAskedDelay = std::chrono::milliseconds{1};

/// Bytes without FCS of "64", with FCS, to "1518", or of the twelve frames of "imix": 7 of 64, 4 of 570, 1 of 1518.
std::vector<std::size_t> wire_sizes(const std::string& size);

/// A gateway whose links are cables with a delay, its packet loop on a processor of its own where there are several.
std::string wire_yaml(const BenchProcessors& processors, Nanoseconds delay);

}  // namespace hilgate
