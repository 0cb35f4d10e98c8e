// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/run_watch.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

RunHistory::Text report(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

RunHistory::Time after(std::chrono::milliseconds span) {
  return RunHistory::Time{} + span;
}

TEST(RunHistory, KeepsAReportASecond) {
  RunHistory history;
  for (int i = 0; i < 8; ++i) {
    history.add(after(i * 250ms), report(std::to_string(i)));
  }
  EXPECT_EQ(*history.text(), "0\n4\n");
}

TEST(RunHistory, DropsEntriesOlderThanTenMinutes) {
  RunHistory history;
  for (int i = 0; i <= 700; ++i) {
    history.add(after(i * 1s), report(std::to_string(i)));
  }
  EXPECT_EQ(history.size(), 601U);
  EXPECT_TRUE(history.text()->starts_with("100\n"));
}

TEST(RunHistory, IsLimitedInSizeAndThinsEvenly) {
  RunHistory history;
  for (int i = 0; i < 100; ++i) {
    history.add(after(i * 1s), report(std::string(1 << 20, static_cast<char>('0' + i % 10))));
  }
  EXPECT_EQ(history.size(), 64U);
  const auto text = history.text();
  EXPECT_LE(text->size(), (std::size_t{8} << 20) + 8);
  EXPECT_GE(std::ranges::count(*text, '\n'), 7);
  EXPECT_EQ((*text)[text->size() - 2], '9');  // the newest is among them
}

TEST(RunHistory, KeepsOneThatIsTooLargeAlone) {
  RunHistory history;
  history.add(after(0s), report("old"));
  history.add(after(1s), report(std::string(std::size_t{65} << 20, 'x')));
  EXPECT_EQ(history.size(), 1U);
}

}  // namespace
}  // namespace hilgate::test
