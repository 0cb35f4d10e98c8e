// SPDX-License-Identifier: Apache-2.0
// Who watches a run, where more come than there is room for.
#include "gateway/views/web/followers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hilgate::test {
namespace {

class FollowersTest : public testing::Test {
 protected:
  /// True when there was a place.
  bool come(const std::string& peer) {
    const std::size_t number = places.size();
    places.emplace_back();
    places[number] = followers.enter(peer, [this, number] { places[number].reset(); });
    return places[number] != nullptr;
  }
  [[nodiscard]] std::string there() const {
    std::string text;
    for (const auto& place : places) {
      text += place ? 'X' : '.';
    }
    return text;
  }

  Followers followers{4};
  std::vector<Followers::Place> places;
};

TEST_F(FollowersTest, OldestConnectionOfTheLargestHolderIsEvicted) {
  for (int n = 0; n < 4; ++n) {
    EXPECT_TRUE(come("user 1000"));
  }
  EXPECT_FALSE(come("user 1000")) << "for himself nobody gives way";
  EXPECT_TRUE(come("user 0"));
  EXPECT_TRUE(come("192.0.2.7"));
  EXPECT_EQ(there(), "..XX.XX");
  EXPECT_FALSE(come("user 1000"));
  EXPECT_FALSE(come("user 0")) << "then each would have as many";
  EXPECT_TRUE(come("192.0.2.8"));
  EXPECT_EQ(there(), "...X.XX..X");
  EXPECT_FALSE(come("192.0.2.9")) << "four with a place each";
}

TEST_F(FollowersTest, ClosedConnectionsMakeRoom) {
  for (int n = 0; n < 4; ++n) {
    EXPECT_TRUE(come("user 1000"));
  }
  places[1].reset();
  EXPECT_TRUE(come("user 1000"));
  EXPECT_FALSE(come("user 1000"));
}

TEST_F(FollowersTest, PlacesMayOutliveIt) {
  auto gone = std::make_unique<Followers>(1);
  const Followers::Place kept = gone->enter("user 0", [] {});
  EXPECT_TRUE(kept);
  gone.reset();
}

}  // namespace
}  // namespace hilgate::test
