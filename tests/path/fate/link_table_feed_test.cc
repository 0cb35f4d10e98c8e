// SPDX-License-Identifier: Apache-2.0
#include "path/fate/link_table_feed.h"

#include <gtest/gtest.h>

#include <thread>

namespace hilgate::test {
namespace {

TEST(LinkTableFeed, GivesNothingBeforeTheFirstTable) {
  LinkTableFeed feed(4);
  EXPECT_FALSE(feed.take());
  EXPECT_EQ(feed.front().links.size(), 4U);
  EXPECT_EQ(feed.front().window, 0U);
}

TEST(LinkTableFeed, GivesTheNewestOnceAndSkipsOthers) {
  LinkTableFeed feed(1);
  for (std::uint64_t window = 1; window <= 5; ++window) {
    feed.back().window = window;
    feed.publish();
  }
  EXPECT_TRUE(feed.take());
  EXPECT_EQ(feed.front().window, 5U);
  EXPECT_FALSE(feed.take());
  EXPECT_EQ(feed.front().window, 5U);
}

TEST(LinkTableFeed, WriterNeverTouchesTheReadersTable) {
  LinkTableFeed feed(1);
  feed.back().window = 1;
  feed.publish();
  ASSERT_TRUE(feed.take());
  const LinkTable* held = &feed.front();
  for (std::uint64_t window = 2; window < 20; ++window) {
    ASSERT_NE(&feed.back(), held);
    feed.back().window = window;
    feed.publish();
  }
  EXPECT_EQ(held->window, 1U);
}

// Two threads; under ThreadSanitizer this also proves that the hand-over synchronises.
TEST(LinkTableFeed, TablesAreWholeAndNeverGoBack) {
  constexpr std::uint64_t kTables = 20'000;
  LinkTableFeed feed(64);
  std::jthread writer([&feed] {
    for (std::uint64_t window = 1; window <= kTables; ++window) {
      LinkTable& table = feed.back();
      table.window = window;
      for (LinkState& link : table.links) {
        link.delay = Nanoseconds{static_cast<std::int64_t>(window)};
      }
      feed.publish();
    }
  });
  std::uint64_t last = 0;
  while (last < kTables) {
    if (!feed.take()) {
      std::this_thread::yield();
      continue;
    }
    const LinkTable& table = feed.front();
    ASSERT_GT(table.window, last);
    last = table.window;
    for (const LinkState& link : table.links) {
      ASSERT_EQ(link.delay.count(), static_cast<std::int64_t>(last));
    }
  }
}

}  // namespace
}  // namespace hilgate::test
