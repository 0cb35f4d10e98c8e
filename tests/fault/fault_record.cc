// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/fault_record.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

namespace hilgate::test {

void record(const FaultRow& row) {
  const std::string text = fmt::format("| {} | {} | {} |\n", row.fault, row.promise, row.measured);
  fmt::print("{}", text);
  if (const char* file = std::getenv("HILGATE_FAULTS"); file != nullptr) {
    std::ofstream(file, std::ios::app) << text;
  }
}

std::string text_of(std::chrono::nanoseconds time) {
  return fmt::format("{:.3g} ms", std::chrono::duration<double, std::milli>(time).count());
}

}  // namespace hilgate::test
