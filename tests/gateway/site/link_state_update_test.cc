// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/air_authors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace hilgate::test {
namespace {

bool same(const LinkState& a, const LinkState& b) {
  return a.unicast.per_bit == b.unicast.per_bit && a.multicast.per_bit == b.multicast.per_bit && a.delay == b.delay &&
         a.rssi_dbm == b.rssi_dbm && a.snr_db == b.snr_db && a.unicast_mode == b.unicast_mode &&
         a.multicast_mode == b.multicast_mode && a.reachable == b.reachable && a.line_of_sight == b.line_of_sight &&
         a.ack_loss == b.ack_loss && a.combined == b.combined;
}

LinkState state_of(std::uint32_t link) {
  const auto n = static_cast<float>(link);
  return {.unicast = {1e-7 * link},
          .multicast = {link % 5 == 0 ? HUGE_VAL : 1e-5 * link},
          .delay = Nanoseconds{link * 333},
          .rssi_dbm = -40 - n / 7,
          .snr_db = 30 - n / 3,
          .unicast_mode = static_cast<std::uint8_t>(link % 7),
          .multicast_mode = static_cast<std::uint8_t>(link % 3),
          .reachable = link % 4 != 0,
          .line_of_sight = link % 3 != 0,
          .ack_loss = 0.25F,
          .combined = {n, 2 * n, 3 * n}};
}

LinkTable dense(std::size_t ends) {
  LinkTable table;
  for (std::uint32_t i = 0; i < ends * ends; ++i) {
    table.links.push_back(state_of(i));
  }
  return table;
}

std::optional<LinkStateUpdate> through(AirTexts& texts, const LinkStateUpdate& word) {
  std::optional<LinkStateUpdate> got;
  for (const std::string& text : air_texts(word)) {
    EXPECT_FALSE(got);
    EXPECT_LE(text.size(), kMostAirText);
    got = texts.take(text);
  }
  return got;
}

}  // namespace

TEST(LinkStateUpdate, ArrivesBitByBit) {
  for (const std::size_t ends : {2, 6, 40}) {  // the last one in several texts
    const LinkTable table = dense(ends);
    AirTexts texts(ends);
    const auto got = through(texts, LinkStateUpdate::of(table, 77));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->window, 77U);
    LinkTable written;
    written.links.resize(ends * ends);
    got->write_to(written);
    for (std::size_t i = 0; i < table.links.size(); ++i) {
      EXPECT_TRUE(same(written.links[i], table.links[i])) << i;
    }
  }
  EXPECT_GT(air_texts(LinkStateUpdate::of(dense(40), 1)).size(), 1U);
}

TEST(LinkStateUpdate, ContainsTheAudibleLinksOfASparseTable) {
  LinkTable table;
  table.links.resize(100 * 100);
  table.silence(table.links.size());
  table.links[407] = state_of(407);
  table.heard.push_back(407);
  table.attachments = {{AttachmentState::kAttached, RobotIndex{99}}, {AttachmentState::kRoaming, {}}};
  AirTexts texts(100);
  const auto got = through(texts, LinkStateUpdate::of(table, 3));
  ASSERT_TRUE(got);
  ASSERT_EQ(got->links.size(), 1U);
  LinkTable written = dense(100);  // what was there before is silent
  got->write_to(written);
  EXPECT_TRUE(same(written.links[407], table.links[407]));
  EXPECT_FALSE(written.links[1].reachable);
  EXPECT_TRUE(written.sparse);
  EXPECT_EQ(written.attachments, table.attachments);
}

TEST(LinkStateUpdate, IsSentWithoutAudibleLinks) {
  LinkTable table;
  table.silence(4);
  AirTexts texts(2);
  const auto got = through(texts, LinkStateUpdate::of(table, 3));
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->links.empty());
}

TEST(LinkStateUpdate, ThatLacksATextIsLeftOut) {
  const auto first = air_texts(LinkStateUpdate::of(dense(40), 1));
  ASSERT_GT(first.size(), 2U);
  AirTexts texts(40);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (i != 1) {
      EXPECT_FALSE(texts.take(first[i]));
    }
  }
  EXPECT_EQ(texts.refused(), 0U);
  EXPECT_TRUE(through(texts, LinkStateUpdate::of(dense(40), 2)));
}

TEST(LinkStateUpdate, OfOtherRobotsOrWithInvalidNumbersIsRefused) {
  AirTexts texts(2);
  EXPECT_FALSE(texts.take(""));
  EXPECT_FALSE(texts.take("zz"));
  EXPECT_FALSE(through(texts, LinkStateUpdate::of(dense(3), 1)));
  LinkStateUpdate outside{.window = 1};
  outside.links.emplace_back(4, state_of(1));
  EXPECT_FALSE(through(texts, outside));
  for (const float wrong : {NAN, -0.1F, 1.1F}) {
    LinkStateUpdate word{.window = 1};
    word.links.emplace_back(1, state_of(1));
    word.links[0].second.ack_loss = wrong;
    EXPECT_FALSE(through(texts, word));
  }
  LinkStateUpdate word{.window = 1};
  word.links.emplace_back(1, state_of(1));
  word.links[0].second.combined[1] = NAN;
  EXPECT_FALSE(through(texts, word));
  std::string cut = air_texts(LinkStateUpdate::of(dense(2), 1)).front();
  cut.resize(cut.size() - 2);
  EXPECT_FALSE(texts.take(cut));
  EXPECT_EQ(texts.refused(), 9U);
  EXPECT_TRUE(through(texts, LinkStateUpdate::of(dense(2), 1)));
}

}  // namespace hilgate::test
