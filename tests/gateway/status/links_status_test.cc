// SPDX-License-Identifier: Apache-2.0
// Which links a status has, where a run of many robots has more than anybody can read.
#include <gtest/gtest.h>

#include <cmath>

#include "gateway/status/status_parts.h"

namespace hilgate::test {
namespace {

ListedLink link(std::uint32_t from, std::uint32_t to, std::uint64_t released, double snr_db) {
  return {RobotIndex{from}, RobotIndex{to}, released, snr_db};
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> ends(const std::vector<ListedLink>& links) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
  for (const ListedLink& each : links) {
    all.emplace_back(each.from.value(), each.to.value());
  }
  return all;
}

using Ends = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

TEST(LinksOfStatus, AreOrderedByTrafficAndThenByStrength) {
  std::vector<ListedLink> links = {link(0, 1, 0, 5), link(0, 2, 0, 30), link(1, 0, 7, -HUGE_VAL), link(1, 2, 900, 3),
                                   link(2, 0, 0, 12)};
  EXPECT_EQ(keep_foremost(links, 3), 2U);
  EXPECT_EQ(ends(links), (Ends{{0, 2}, {1, 0}, {1, 2}}));
}

TEST(LinksOfStatus, AreAllWhereThereIsRoom) {
  std::vector<ListedLink> links = {link(1, 0, 0, 5), link(0, 1, 3, 5)};
  EXPECT_EQ(keep_foremost(links, 2), 0U);
  EXPECT_EQ(ends(links), (Ends{{1, 0}, {0, 1}}));
  EXPECT_EQ(keep_foremost(links, 0), 2U);
  EXPECT_TRUE(links.empty());
}

}  // namespace
}  // namespace hilgate::test
