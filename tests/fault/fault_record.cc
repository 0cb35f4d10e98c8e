// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/fault_record.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace hilgate::test {
namespace {

std::size_t rows = 0;

}  // namespace

void record(const FaultRow& row) {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  const std::string text = fmt::format("| {} | {} | {} | `{}.{}` |\n", row.fault, row.promise, row.measured,
                                       test.test_suite_name(), test.name());
  fmt::print("{}", text);
  ++rows;
  if (const char* file = std::getenv("HILGATE_FAULTS"); file != nullptr) {
    std::ofstream(file, std::ios::app) << text;
  }
}

std::size_t rows_recorded() {
  return rows;
}

std::string text_of(std::chrono::nanoseconds time) {
  return fmt::format("{:.3g} ms", std::chrono::duration<double, std::milli>(time).count());
}

}  // namespace hilgate::test
