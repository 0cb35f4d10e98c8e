// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/air_authors.h"

#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

// Whose word it is, and of which window.
LinkStateUpdate word(std::uint64_t window, std::uint32_t mark = 0) {
  LinkStateUpdate made{.window = window};
  made.links.emplace_back(mark, LinkState{});
  return made;
}

std::uint32_t mark(const LinkStateUpdate* word) {
  return word == nullptr ? 1000 : word->links.front().first;
}

}  // namespace

TEST(AirAuthors, UpdateAppliesFromItsWindow) {
  AirAuthors authors(3);
  authors.note(1, word(12, 7));
  EXPECT_EQ(authors.begin(10), nullptr);
  EXPECT_FALSE(authors.author());
  EXPECT_EQ(authors.begin(11), nullptr);
  EXPECT_EQ(mark(authors.begin(12)), 7U);
  EXPECT_EQ(authors.author(), 1U);
  EXPECT_EQ(authors.begin(13), nullptr) << "it counts already";
  EXPECT_EQ(authors.without_word(), 1U);
}

TEST(AirAuthors, OfSeveralTheFirstInTheFileCounts) {
  AirAuthors authors(3);
  for (std::uint64_t window = 1; window < 10; ++window) {
    authors.note(2, word(window, 2));
    authors.note(1, word(window, 1));
    EXPECT_EQ(mark(authors.begin(window)), 1U);
  }
  EXPECT_TRUE(authors.speaks(2));
  EXPECT_FALSE(authors.speaks(0));
  EXPECT_EQ(authors.changes(), 0U);
}

TEST(AirAuthors, NextAuthorContinuesFiveWindowsAfterTheLastUpdate) {
  AirAuthors authors(2);
  authors.note(0, word(100, 0));
  for (std::uint64_t window = 100; window <= 110; ++window) {
    authors.note(1, word(window, 1));
    const LinkStateUpdate* counts = authors.begin(window);
    if (window == 100) {
      EXPECT_EQ(mark(counts), 0U);
    } else if (window < 100 + AirAuthors::kOldest) {
      EXPECT_EQ(counts, nullptr) << "what it said last holds";
      EXPECT_EQ(authors.author(), 0U);
    } else {
      EXPECT_EQ(mark(counts), 1U) << window;
      EXPECT_EQ(authors.author(), 1U);
    }
  }
  EXPECT_EQ(authors.changes(), 1U);
  authors.note(0, word(111, 0));
  authors.note(1, word(111, 1));
  EXPECT_EQ(mark(authors.begin(111)), 0U) << "it is back";
  EXPECT_EQ(authors.changes(), 2U);
}

TEST(AirAuthors, WithoutAuthorsTheLastUpdateStays) {
  AirAuthors authors(2);
  authors.note(0, word(5));
  EXPECT_NE(authors.begin(5), nullptr);
  EXPECT_EQ(authors.begin(10), nullptr);
  EXPECT_FALSE(authors.author());
  authors.note(0, word(11));
  EXPECT_NE(authors.begin(11), nullptr);
  EXPECT_EQ(authors.author(), 0U);
}

TEST(AirAuthors, LateUpdateAppliesFromTheNextWindow) {
  AirAuthors authors(1);
  EXPECT_EQ(authors.begin(20), nullptr);
  authors.note(0, word(19, 5));
  EXPECT_EQ(authors.late(), 1U);
  EXPECT_EQ(mark(authors.begin(21)), 5U);
  authors.note(0, word(18, 6));
  EXPECT_EQ(authors.begin(22), nullptr) << "an older one is nothing new";
}

TEST(AirAuthors, SkippedWindowsKeepTheNewestUpdate) {
  AirAuthors authors(1);
  for (std::uint32_t window = 1; window < 9; ++window) {
    authors.note(0, word(window, window));
  }
  EXPECT_EQ(mark(authors.begin(6)), 6U);
}

TEST(AirAuthors, UpdatesOfFarWindowsAreDropped) {
  AirAuthors authors(1);
  authors.begin(10);
  authors.note(0, word(10 + AirAuthors::kMostAhead + 1));
  EXPECT_EQ(authors.begin(10 + AirAuthors::kMostAhead + 1), nullptr);
}

TEST(AirAuthors, WindowsOfAnotherSimulationBeginAnew) {
  AirAuthors authors(1);
  authors.note(0, word(1000));
  authors.begin(1000);
  authors.forget();
  authors.note(0, word(3, 3));
  EXPECT_EQ(mark(authors.begin(3)), 3U);
}

}  // namespace hilgate::test
