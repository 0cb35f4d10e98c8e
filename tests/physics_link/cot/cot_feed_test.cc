// SPDX-License-Identifier: Apache-2.0
#include "physics_link/cot/cot_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <asio/buffer.hpp>
#include <asio/write.hpp>

#include "tests/loop.h"
#include "tests/physics_link/cot/event_files.h"

namespace hilgate::cot::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Pair;

constexpr mavlink::Geodetic kOrigin{47, 11, 540};
const CotFeedOptions kOptions{.origin = kOrigin};

Vec3 place_in(PositionFeed& feed, std::size_t robot) {
  Scene scene;
  feed.scene_at(SimTime{}, scene);
  return scene.robots.at(robot).position;
}

void expect_at(const Vec3& at, const mavlink::Geodetic& place) {
  const Vec3 expected = mavlink::enu_of(place, kOrigin);
  EXPECT_NEAR(at.x, expected.x, 1e-6);
  EXPECT_NEAR(at.y, expected.y, 1e-6);
  EXPECT_NEAR(at.z, expected.z, 1e-6);
}

TEST(CotFeed, MovesRobotsByUidAndByCallsign) {
  CotFeed feed({"BLUE", "drone-1"}, kOptions);
  feed.take(event_file("drone"), while_valid());
  feed.take(event_file("phone"), while_valid());
  feed.take(event_file("ping"), while_valid());
  expect_at(place_in(feed, 1), {47.002, 11.001, 560});
  expect_at(place_in(feed, 0), {47.004, 11.003, 0});
  EXPECT_EQ(feed.counters().positions, 2U);
  EXPECT_EQ(feed.counters().unknown + feed.counters().malformed, 0U);
  EXPECT_EQ(feed.sources()[1].name, "drone-1");
  EXPECT_EQ(feed.sources()[1].positions, 1U);
}

TEST(CotFeed, AnEventOfUnknownHeightKeepsTheRobotsHeight) {
  CotFeed feed({"drone-1"}, kOptions);
  const std::string unknown = with(event_file("drone"), "hae=\"560\"", "hae=\"9999999\"");
  feed.take(unknown, while_valid());
  expect_at(place_in(feed, 0), {47.002, 11.001, kOrigin.alt_m});
  feed.take(event_file("drone"), while_valid());
  feed.take(unknown, while_valid());
  expect_at(place_in(feed, 0), {47.002, 11.001, 560});
}

TEST(CotFeed, RefusesWhatIsNotValidNow) {
  CotFeed feed({"drone-1"}, kOptions);
  const std::string event = event_file("drone");
  feed.take(event, *utc_of_text("2026-11-29T12:00:30.25Z"));
  EXPECT_EQ(feed.sources()[0].old, 1U) << "stale from that instant on";
  feed.take(event, *utc_of_text("2026-11-29T11:59:50.2Z"));
  EXPECT_EQ(feed.sources()[0].future, 1U) << "more than 10 s ahead";
  EXPECT_TRUE(feed.sources()[0].refused);
  EXPECT_EQ(feed.counters().positions, 0U);
  feed.take(event, while_valid());
  feed.take(with(event, "time=\"2026-11-29T12:00:00.250Z\"", "time=\"2026-11-29T12:00:00.249Z\""), while_valid());
  EXPECT_EQ(feed.sources()[0].old, 2U) << "before the one that was taken";
  EXPECT_EQ(feed.counters().positions, 1U);
  CotFeed trusting({"drone-1"}, {.origin = kOrigin, .stamps = false});
  trusting.take(event, 0s);
  EXPECT_EQ(trusting.counters().positions, 1U);
}

TEST(CotFeed, SwappedCoordinatesAreNamed) {
  CotFeed feed({"drone-1"}, kOptions);
  feed.take(event_file("swapped"), while_valid());
  EXPECT_THAT(feed.counters().malformed_by, ElementsAre(Pair("swapped", 1)));
  EXPECT_EQ(feed.sources()[0].malformed, 1U);
  EXPECT_EQ(feed.counters().positions, 0U);
  // Far away, and not swapped: a robot may be there.
  feed.take(with(event_file("swapped"), "lat=\"11.001\"", "lat=\"-30\""), while_valid());
  EXPECT_EQ(feed.counters().positions, 1U);
}

TEST(CotFeed, CountsStrangersAndWhatMakesNoSense) {
  CotFeed feed({"green"}, kOptions);
  feed.take(event_file("drone"), while_valid());
  feed.take(event_file("drone"), while_valid());
  EXPECT_EQ(feed.counters().unknown, 2U);
  feed.take("<event", while_valid());
  feed.take("\xBF\x01\xBF", while_valid());
  EXPECT_THAT(feed.counters().malformed_by, ElementsAre(Pair("protobuf", 1), Pair("xml", 1)));
}

// Events of now, as senders write them: their stamps are checked against this machine's clock.
TEST(CotPhysics, TakesDatagramsAndStreams) {
  asio::io_context context;
  CotPhysics physics(context, {"drone-1", "BLUE"}, Endpoint::parse("tcp:127.0.0.1:0"), "",
                     {.origin = kOrigin, .stamps = false});
  asio::ip::udp::socket sender(context, asio::ip::udp::v4());
  const auto loopback = asio::ip::make_address("127.0.0.1");
  sender.send_to(asio::buffer(event_file("drone")), {loopback, physics.port()});
  asio::ip::tcp::socket stream(context);
  stream.connect({loopback, physics.port()});
  asio::write(stream, asio::buffer(event_file("phone") + event_file("phone")));
  hilgate::test::run_until(context, [&] { return physics.feed().counters().positions == 3; });
  EXPECT_EQ(physics.feed().sources()[0].positions, 1U);
  EXPECT_EQ(physics.feed().sources()[1].positions, 2U);
  asio::write(stream, asio::buffer(std::string(kLongestEvent + 1, 'x')));
  hilgate::test::run_until(context, [&] { return physics.feed().counters().malformed == 1; });
  EXPECT_THAT(physics.feed().counters().malformed_by, ElementsAre(Pair("length", 1)));
}

}  // namespace
}  // namespace hilgate::cot::test
