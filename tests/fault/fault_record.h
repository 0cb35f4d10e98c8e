// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace hilgate::test {

/// A row of docs/reference/faults.md: what goes wrong or is done to the gateway, what it promises, and what this run
/// measured. The test that records it is added.
struct FaultRow {
  std::string fault;
  std::string promise;
  std::string measured;
};

/// Prints the row, and appends it to the file that HILGATE_FAULTS names, when it does (tests/fault/record.sh).
void record(const FaultRow& row);

/// How many rows this process has recorded.
std::size_t rows_recorded();

/// "1.2 ms".
std::string text_of(std::chrono::nanoseconds time);

/// How long `what` took.
template <class What>
std::chrono::nanoseconds time_of(What what) {
  const auto begin = std::chrono::steady_clock::now();
  what();
  return std::chrono::steady_clock::now() - begin;
}

}  // namespace hilgate::test
