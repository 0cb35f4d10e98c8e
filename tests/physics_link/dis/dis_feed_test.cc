// SPDX-License-Identifier: Apache-2.0
#include "physics_link/dis/dis_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <thread>

#include <asio/buffer.hpp>

#include "host/byte_cursor.h"
#include "physics_link/place.h"
#include "tests/loop.h"
#include "tests/physics_link/dis/pdu_files.h"

namespace hilgate::dis::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Pair;

constexpr DisOptions kOptions{.exercise = 1, .origin = {47, 11, 540}};

Pose pose_in(DisFeed& feed, std::size_t robot) {
  Scene scene;
  feed.scene_at(SimTime{}, scene);
  return scene.robots.at(robot);
}

// With another entity, algorithm and stamp, at rest.
std::vector<std::byte> standing(std::uint16_t entity, std::uint32_t timestamp = 0x10000000) {
  std::vector<std::byte> pdu = pdu_file("entity_state");
  store_be<std::uint16_t>(pdu, 16, entity);
  store_be<std::uint32_t>(pdu, 4, timestamp);
  pdu[88] = std::byte{1};
  return pdu;
}

TEST(DisFeed, PlacesOnTheEarthBecomeEastNorthAndUpOfTheOrigin) {
  DisFeed feed({"1:2:8", "1:2:7"}, kOptions);
  feed.take(standing(7));
  const Pose pose = pose_in(feed, 1);
  EXPECT_NEAR(pose.position.x, 0, 1e-6);
  EXPECT_NEAR(pose.position.y, 0, 1e-6);
  EXPECT_NEAR(pose.position.z, 0, 1e-6);
  ASSERT_TRUE(pose.oriented);
  const Vec3 forward = rotate(pose.orientation, {1, 0, 0});
  const Vec3 up = rotate(pose.orientation, {0, 0, 1});
  EXPECT_NEAR(forward.x, 1, 1e-6) << "it heads east";
  EXPECT_NEAR(up.z, 1, 1e-6) << "and is level";
  DisFeed elsewhere({"1:2:7"}, {.exercise = 1, .origin = {46.999, 10.999, 500}});
  elsewhere.take(standing(7));
  const Vec3 expected = enu_of(mavlink::Geodetic{47, 11, 540}, mavlink::Geodetic{46.999, 10.999, 500});
  EXPECT_NEAR(pose_in(elsewhere, 0).position.x, expected.x, 1e-6);
  EXPECT_NEAR(pose_in(elsewhere, 0).position.y, expected.y, 1e-6);
  EXPECT_NEAR(pose_in(elsewhere, 0).position.z, expected.z, 1e-6);
}

TEST(DisFeed, BetweenPdusARobotMovesOn) {
  DisFeed feed({"1:2:7"}, kOptions);
  const auto begin = std::chrono::steady_clock::now();
  feed.take(pdu_file("entity_state"));
  const auto taken = std::chrono::steady_clock::now();
  Pose pose = pose_in(feed, 0);
  while (std::chrono::steady_clock::now() < taken + 50ms) {
    const double before = pose.position.x;
    pose = pose_in(feed, 0);
    ASSERT_GE(pose.position.x, before);
  }
  pose = pose_in(feed, 0);
  const double most = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_GE(pose.position.x, 10 * 0.05 + 0.05 * 0.05);
  EXPECT_LE(pose.position.x, 10 * most + most * most);
  EXPECT_NEAR(pose.position.y, 0, 1e-4);
  const Vec3 forward = rotate(pose.orientation, {1, 0, 0});
  EXPECT_LT(forward.y, -0.1 * 0.04) << "about its axis down, so clockwise as seen from above";
}

TEST(DisFeed, CountsWhatItDoesNotTake) {
  DisFeed feed({"1:2:7"}, kOptions);
  feed.take(pdu_file("bundle"));
  EXPECT_EQ(feed.counters().positions, 1U);
  EXPECT_EQ(feed.counters().unknown, 1U) << "1:2:8; that of exercise 2 is of others";
  feed.take(pdu_file("fire"));
  EXPECT_EQ(feed.counters().malformed, 0U);
  std::vector<std::byte> bad = standing(7);
  bad.resize(100);
  feed.take(bad);
  bad.resize(3);
  feed.take(bad);
  bad = standing(7);
  store_be<std::uint64_t>(bad, 48, std::bit_cast<std::uint64_t>(-9.9e7));  // 1.1e8 m east of the origin
  store_be<std::uint64_t>(bad, 56, std::bit_cast<std::uint64_t>(9.9e7));
  feed.take(bad);
  EXPECT_EQ(feed.counters().malformed, 3U);
  EXPECT_THAT(feed.counters().malformed_by, ElementsAre(Pair("header", 1U), Pair("length", 1U), Pair("numbers", 1U)));
  ASSERT_EQ(feed.sources().size(), 1U);
  EXPECT_EQ(feed.sources()[0].name, "1:2:7");
  EXPECT_EQ(feed.sources()[0].positions, 1U);
  EXPECT_EQ(feed.sources()[0].malformed, 1U);
}

TEST(DisFeed, ALatePduIsLeftOut) {
  DisFeed feed({"1:2:7"}, kOptions);
  feed.take(standing(7, 0xfffffff0));
  feed.take(standing(7, 0x00000010));
  EXPECT_EQ(feed.sources()[0].positions, 2U) << "stamps begin anew with the hour";
  feed.take(standing(7, 0xfffffff8));
  EXPECT_EQ(feed.sources()[0].positions, 2U);
  EXPECT_EQ(feed.sources()[0].old, 1U);
}

TEST(DisFeed, TakesDatagramsFromASocket) {
  asio::io_context io;
  DisPhysics physics(io, {"1:2:7", "1:2:8"}, Endpoint::parse("tcp:127.0.0.1:0"), kOptions);
  asio::ip::udp::socket sender(io, asio::ip::udp::v4());
  const asio::ip::udp::endpoint to(asio::ip::make_address("127.0.0.1"), physics.port());
  for (const char* name : {"entity_state", "articulated", "fire"}) {
    sender.send_to(asio::buffer(pdu_file(name)), to);
  }
  sender.send_to(asio::buffer("nonsense"), to);
  EXPECT_TRUE(hilgate::test::run_until(io, [&] { return physics.feed().counters().malformed == 1; }));
  EXPECT_EQ(physics.feed().counters().positions, 2U);
}

}  // namespace
}  // namespace hilgate::dis::test
