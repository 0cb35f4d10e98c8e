// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gateway/record/count_codec.h"
#include "gateway/record/link_table_codec.h"
#include "gateway/record/varint.h"
#include "gateway/record/verdict_codec.h"

namespace hilgate::test {
namespace {

TEST(Varint, AnyNumberRoundTrips) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, ~std::uint64_t{0}}) {
    std::string bytes;
    append_varint(bytes, number);
    append_signed(bytes, static_cast<std::int64_t>(number));
    append_signed(bytes, -static_cast<std::int64_t>(number / 2));
    VarintReader reader(bytes);
    EXPECT_EQ(reader.number(), number);
    EXPECT_EQ(reader.signed_number(), static_cast<std::int64_t>(number));
    EXPECT_EQ(reader.signed_number(), -static_cast<std::int64_t>(number / 2));
    EXPECT_TRUE(reader.empty());
    EXPECT_THROW(reader.number(), std::runtime_error);
  }
}

TEST(HazardCode, IsWithinAFewHundredths) {
  for (double hazard = 1e-9; hazard < 64; hazard *= 1.013) {
    EXPECT_NEAR(HazardCode::hazard(HazardCode::of(hazard)) / hazard, 1, 0.033) << hazard;
  }
  EXPECT_EQ(HazardCode::hazard(HazardCode::of(0)), 0);
  EXPECT_EQ(HazardCode::hazard(HazardCode::of(1e-10)), 0);
  EXPECT_EQ(HazardCode::hazard(HazardCode::of(std::numeric_limits<double>::quiet_NaN())), 0);
  EXPECT_TRUE(std::isinf(HazardCode::hazard(HazardCode::of(std::numeric_limits<double>::infinity()))));
}

LinkState example_link(std::uint32_t seed) {
  const auto unit = [seed](std::uint32_t k) {
    return static_cast<double>((seed * 2654435761U + k * 40503U) % 1000) / 1000;
  };
  return {.unicast = {1e-9 * std::exp(20 * unit(1))},
          .multicast = {1e-5 * unit(2)},
          .delay = Nanoseconds{static_cast<std::int64_t>(1e6 * unit(3))},
          .rssi_dbm = static_cast<float>(-30 - 60 * unit(4)),
          .snr_db = static_cast<float>(40 * unit(5)),
          .unicast_mode = static_cast<std::uint8_t>(8 * unit(6)),
          .multicast_mode = static_cast<std::uint8_t>(3 * unit(7)),
          .reachable = unit(8) < 0.9,
          .line_of_sight = unit(9) < 0.5,
          .ack_loss = static_cast<float>(unit(10)),
          .combined = {static_cast<float>(1e-6 * unit(11)), 0, 0}};
}

void expect_near(const LinkState& read, const LinkState& written) {
  EXPECT_LE(std::abs((read.delay - written.delay).count()), 8);
  EXPECT_NEAR(read.rssi_dbm, written.rssi_dbm, 0.2501);
  EXPECT_NEAR(read.snr_db, written.snr_db, 0.1251);
  EXPECT_EQ(read.reachable, written.reachable);
  EXPECT_EQ(read.line_of_sight, written.line_of_sight);
  if (!written.reachable) {
    return;  // nothing else matters
  }
  EXPECT_NEAR(read.unicast.per_bit, written.unicast.per_bit, 0.033 * written.unicast.per_bit + 1e-9);
  EXPECT_NEAR(read.multicast.per_bit, written.multicast.per_bit, 0.033 * written.multicast.per_bit + 1e-9);
  EXPECT_EQ(read.unicast_mode, written.unicast_mode);
  EXPECT_EQ(read.multicast_mode, written.multicast_mode);
  EXPECT_NEAR(read.ack_loss, written.ack_loss, 0.0021);
  EXPECT_NEAR(read.combined[0], written.combined[0], 0.033 * static_cast<double>(written.combined[0]) + 1e-9);
}

TEST(LinkTableCodec, TablesComeBackAsNearAsTheStepsAre) {
  LinkTableEncoder encoder;
  LinkTableDecoder decoder;
  LinkTable table;
  table.links.resize(25);
  table.attachments.resize(5);
  for (std::uint32_t window = 0; window < 200; ++window) {
    table.window = 7 * window;
    table.at = SimTime{Nanoseconds{7'000'000 * std::int64_t{window}}};
    table.links[window % 25] = example_link(window);
    table.attachments[window % 5] = {
        window % 3 == 0 ? AttachmentState::kAttached : AttachmentState::kRoaming,
        window % 3 == 0 ? OptionalIndex<RobotIndex>(RobotIndex{4}) : OptionalIndex<RobotIndex>{}};
    if (window == 100) {
      encoder.restart();
    }
    const LinkTable& read = decoder.decode(encoder.encode(table));
    EXPECT_EQ(read.window, table.window);
    EXPECT_EQ(read.at, table.at);
    ASSERT_EQ(read.links.size(), table.links.size());
    for (std::size_t i = 0; i < table.links.size(); ++i) {
      expect_near(read.links[i], table.links[i]);
    }
    EXPECT_EQ(read.attachments, table.attachments);
    EXPECT_LE(decoder.changed().size(), window % 100 == 0 ? 25U : 2U) << "a link and its way back";
  }
}

TEST(LinkTableCodec, UnchangedLinksTakeFewBytes) {
  LinkTableEncoder encoder;
  LinkTable table;
  table.links.resize(64UL * 64);
  for (std::size_t i = 0; i < table.links.size(); ++i) {
    table.links[i] = example_link(static_cast<std::uint32_t>(i));
  }
  EXPECT_LT(encoder.encode(table).size(), 40 * table.links.size());
  table.window = 1;
  EXPECT_LT(encoder.encode(table).size(), 10U);
  table.links[1000].snr_db += 1;
  EXPECT_LT(encoder.encode(table).size(), 16U);
}

// Whatever a file says, reading it is an error or a table.
TEST(LinkTableCodec, RoutesComeBackAndAreWrittenWhenTheyChange) {
  constexpr std::uint32_t kEnds = 4;
  LinkTableEncoder encoder;
  LinkTableDecoder decoder;
  LinkTable table;
  table.links.resize(kEnds * kEnds);
  const auto route = [&table](std::uint32_t last) {
    auto routes = std::make_shared<MeshRoutes>();
    routes->ends = kEnds;
    routes->next.resize(kEnds * kEnds);
    for (std::uint32_t at = 0; at < last; ++at) {
      routes->next[at * kEnds + last] = RobotIndex{at + 1};
    }
    table.routes = routes;
  };
  for (const std::uint32_t last : {3U, 2U, 0U, 3U}) {
    route(last);
    EXPECT_EQ(decoder.decode(encoder.encode(table)).routes->next, table.routes->next);
    const std::string same = encoder.encode(table);
    EXPECT_EQ(decoder.decode(same).routes->next, table.routes->next);
    encoder.restart();
    EXPECT_GT(encoder.encode(table).size(), same.size());
  }
  std::string bytes = encoder.encode(table);
  append_varint(bytes, 1);
  append_varint(bytes, 5);
  append_varint(bytes, kEnds);
  EXPECT_THROW(decoder.decode(bytes), std::runtime_error) << "a route by a robot that there is not";
}

TEST(LinkTableCodec, DamagedMessagesAreErrors) {
  LinkTableEncoder encoder;
  LinkTable table;
  table.links.resize(9);
  table.links[4] = example_link(4);
  table.attachments.resize(3);
  const std::string message = encoder.encode(table);
  for (std::size_t at = 0; at < message.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string damaged = message;
      damaged[at] = static_cast<char>(damaged[at] ^ (1U << bit));
      LinkTableDecoder decoder;
      try {
        static_cast<void>(decoder.decode(damaged));
      } catch (const std::runtime_error&) {
      }
    }
    LinkTableDecoder decoder;
    EXPECT_THROW(static_cast<void>(decoder.decode(message.substr(0, at))), std::runtime_error);
  }
}

TEST(CountCodec, CountsComeBack) {
  CountEncoder encoder;
  CountDecoder decoder;
  std::vector<LinkCounts> counts(9);
  for (std::uint64_t round = 0; round < 50; ++round) {
    LinkCounts& one = counts[round % 9];
    one.deliveries += 1000 * round;
    one.released += 900;
    one.bytes_released += 1'000'000;
    one.dropped[round % kDropReasons] += round;
    if (round == 25) {
      encoder.restart();
      counts[3] = {};  // another robot has the place now
    }
    const auto& rows = decoder.decode(encoder.encode(counts.size(), [&](std::size_t i) { return counts[i]; }));
    ASSERT_EQ(rows.size(), counts.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i][0], counts[i].deliveries);
      EXPECT_EQ(rows[i][1], counts[i].released);
      EXPECT_EQ(rows[i][2], counts[i].bytes_released);
      for (std::size_t reason = 0; reason < kDropReasons; ++reason) {
        EXPECT_EQ(rows[i][kCounterNames.size() + reason], counts[i].dropped[reason]);
      }
    }
  }
  EXPECT_EQ(encoder.encode(counts.size(), [&](std::size_t i) { return counts[i]; }).size(), 2U) << "nothing new";
}

TEST(VerdictCodec, VerdictsComeBack) {
  std::vector<Verdict> verdicts;
  for (std::uint32_t i = 0; i < 20; ++i) {
    verdicts.push_back({.packet = 1000 + i / 2,
                        .receiver = RobotIndex{i % 5},
                        .release_at = i == 7 ? SimTime::max() : SimTime{Nanoseconds{1'000'000 * std::int64_t{i}}},
                        .ber = 0,
                        .drop = i % 4 == 0 ? AirDrop::kCollision : AirDrop::kNone,
                        .retries = i % 3,
                        .at_once = i % 2 == 0});
  }
  EXPECT_EQ(decode_verdicts(encode_verdicts(verdicts)), verdicts);
}

}  // namespace
}  // namespace hilgate::test
