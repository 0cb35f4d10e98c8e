// SPDX-License-Identifier: Apache-2.0
// A fault test that records no row of docs/reference/faults.md fails.
#include <gtest/gtest.h>

#include "tests/fault/fault_record.h"

namespace hilgate::test {
namespace {

class RowWatch : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { before_ = rows_recorded(); }
  void OnTestEnd(const testing::TestInfo& test) override {
    if (test.result()->Passed() && rows_recorded() == before_) {
      ADD_FAILURE() << "the test records no row of docs/reference/faults.md: call record()";
    }
  }
  std::size_t before_ = 0;
};

const bool kWatched = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new RowWatch);
  return true;
}();

}  // namespace
}  // namespace hilgate::test
