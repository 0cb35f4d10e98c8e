// SPDX-License-Identifier: Apache-2.0
// hilgate bench all: every figure with its yardstick, in rounds; or two builds, in alternation.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hilgate {

struct BenchAllOptions {
  std::size_t rounds = 5;           // [1, 100]
  double seconds = 3;               // of each benchmark and round, [1, 3600]
  std::vector<std::string> only{};  // names of benchmarks; empty: all
  std::string against{};            // another build's hilgate, to be compared with; empty: none
  bool json = false;
};

/// How probable it is that of `pairs` at least as many as `wins`, or as few, are won by chance: a two-sided sign test.
[[nodiscard]] double sign_test(std::size_t wins, std::size_t pairs);

/// Runs the benchmarks in processes of their own, one after the other and in rounds, and prints minimum, median and
/// maximum of each figure, of its yardstick, and of the ratio of each round. A ratio above 1 means that hilgate is
/// better. Returns the exit status: 1 when a benchmark failed, which is named. Throws std::invalid_argument for a name
/// in `only` that is no benchmark.
int bench_all_command(const BenchAllOptions& options);

}  // namespace hilgate
