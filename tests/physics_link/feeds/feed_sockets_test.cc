// SPDX-License-Identifier: Apache-2.0
// Recorded exchanges: what the reference senders put on their sockets, in their order, and what they wait for.
#include "physics_link/feeds/feed_sockets.h"

#include <cstring>
#include <optional>
#include <zmq.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <asio/read.hpp>
#include <asio/write.hpp>

#include "tests/loop.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

Vec3 position(PositionFeed& feed, std::uint32_t robot) {
  Scene scene;
  feed.scene_at(SimTime{}, scene);
  return scene.robots[robot].position;
}

TEST(FeedSockets, Cornet2ConnectsAnewForEveryCommandAndReadsAReply) {
  asio::io_context io;
  PositionFeed feed({"robot1", "robot2"});
  Cornet2Server server(io, Endpoint::parse("tcp:127.0.0.1:0"), feed);
  const auto exchange = [&](const std::string& command) {
    asio::ip::tcp::socket client(io);
    client.connect({asio::ip::make_address("127.0.0.1"), server.port()});
    asio::write(client, asio::buffer(command));
    std::string reply;
    std::array<char, 1024> buffer{};
    client.async_read_some(asio::buffer(buffer),
                           [&](std::error_code, std::size_t bytes) { reply.assign(buffer.data(), bytes); });
    EXPECT_TRUE(run_until(io, [&] { return !reply.empty(); }));
    return reply;
  };
  EXPECT_EQ(exchange(R"(set.robot1.setPosition("1,2,0"))"), "command accepted!");
  EXPECT_EQ(exchange(R"(set.robot2.setPosition("'3.5,4.5,5.5'"))"), "command accepted!");
  EXPECT_EQ(exchange("start"), "unrecognized method!");
  EXPECT_EQ(position(feed, 0), (Vec3{1, 2, 0}));
  EXPECT_EQ(position(feed, 1), (Vec3{3.5, 4.5, 5.5}));
  EXPECT_EQ(feed.counters().malformed, 1U);
}

TEST(FeedSockets, Cornet2026KeepsStreamsOpenFromSeveralBridges) {
  const TempDir dir;
  asio::io_context io;
  PositionFeed feed({"drone", "rover"});
  SimTime shown{};
  feed.on_clock([&shown](SimTime clock) { shown = clock; });
  const CornetSockets sockets(io, dir.file("clock"), dir.file("positions"), feed);
  const auto connect = [&](const std::string& name) {
    asio::local::stream_protocol::socket client(io);
    client.connect(dir.file(name));
    return client;
  };
  auto clock = connect("clock");
  auto first = connect("positions");
  auto second = connect("positions");
  asio::write(clock, asio::buffer(std::string("{\"t\": 0.01}\n{\"t\": 0.02}\n")));
  asio::write(first, asio::buffer(std::string("{\"name\":\"drone\",\"x\":1,\"y\":2,\"z\":3}\n\nnot json\n{\"na")));
  asio::write(second, asio::buffer(std::string("{\"name\":\"rover\",\"x\":9}\n{\"name\":\"stranger\"}\n")));
  asio::write(first, asio::buffer(std::string("me\":\"drone\",\"x\":4}\n")));
  ASSERT_TRUE(run_until(io, [&] { return feed.counters().positions == 3 && feed.counters().unknown == 1; }));
  ASSERT_TRUE(run_until(io, [&] { return shown == SimTime{20ms}; }));
  EXPECT_EQ(position(feed, 0), (Vec3{4, 0, 0})) << "a line may come in pieces";
  EXPECT_EQ(position(feed, 1), (Vec3{9, 0, 0}));
  EXPECT_EQ(feed.counters().malformed, 1U) << "blank lines are none";
}

TEST(FeedSockets, RoboNetSimShakesHandsAndGetsOneDatagramForEachTick) {
  asio::io_context io;
  PositionFeed feed({"0", "1"});
  RoboNetSimServer server(io, Endpoint::parse("tcp:127.0.0.1:0"), feed);
  asio::ip::udp::socket argos(io, asio::ip::udp::v4());
  argos.connect({asio::ip::make_address("127.0.0.1"), server.port()});
  int replies = 0;
  std::array<char, 100> buffer{};
  std::function<void()> receive = [&] {
    argos.async_receive(asio::buffer(buffer), [&](std::error_code error, std::size_t) {
      if (!error) {
        ++replies;
        receive();
      }
    });
  };
  receive();
  std::string hello(88, '\0');
  argos.send(asio::buffer(hello));
  ASSERT_TRUE(run_until(io, [&] { return replies == 2; })) << "the hand-shake, and leave for the first tick";
  std::string positions(24 + 32, '\0');
  const std::int32_t type = 3;
  const std::int32_t robots = 1;
  const double x = 2.5;
  std::memcpy(positions.data(), &type, 4);
  std::memcpy(positions.data() + 16, &robots, 4);
  std::memcpy(positions.data() + 32, &x, 8);
  argos.send(asio::buffer(positions));
  ASSERT_TRUE(run_until(io, [&] { return replies == 3; }));
  EXPECT_EQ(position(feed, 0), (Vec3{2.5, 0, 0}));
  const std::int32_t stop = 7;
  std::memcpy(positions.data(), &stop, 4);
  argos.send(asio::buffer(positions));
  ASSERT_TRUE(run_until(io, [&] { return server.stopped(); }));
}

TEST(FeedSockets, FlyNetSimPublishesOverZeroMq) {
  asio::io_context io;
  PositionFeed feed({"000", "001"});
  zmq::context_t context;
  zmq::socket_t uav(context, zmq::socket_type::pub);
  uav.bind("tcp://127.0.0.1:*");
  FlyNetSimFeed subscriber(io, uav.get(zmq::sockopt::last_endpoint), feed);
  // A subscription takes a moment to arrive; the reference repeats its location as well.
  ASSERT_TRUE(run_until(io, [&] {
    uav.send(zmq::str_buffer("@@@U_001***DISTANCE***5***6***"));
    uav.send(zmq::str_buffer("@@@U_001***12***1541.2***TELEMETRY#alt***"));
    return feed.counters().positions > 0;
  }));
  EXPECT_EQ(position(feed, 1), (Vec3{5, 6, 0}));
  EXPECT_EQ(feed.counters().malformed, 0U);
  EXPECT_THROW(FlyNetSimFeed(io, "nonsense", feed), std::runtime_error);
}

}  // namespace
}  // namespace hilgate::test
