// SPDX-License-Identifier: Apache-2.0
// Connect loops, connections that stay, and a process without descriptors.
#include "host/accept_loop.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fmt/format.h>
#include <asio/local/stream_protocol.hpp>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/fault/fault_record.h"
#include "tests/loop.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Protocol = asio::local::stream_protocol;

struct Listening {
  using Loop = AcceptLoop<Protocol::acceptor>;

  explicit Listening(AcceptLimits limits, Loop::MakeRoom make_room = {})
      : acceptor(io, Protocol::endpoint(folder.file("s"))),
        loop(
            acceptor, limits,
            [this](Protocol::socket socket, ConnectionSeat seat) {
              taken.emplace_back(std::move(socket), std::move(seat));
            },
            std::move(make_room)) {}
  void connect(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      clients.emplace_back(client_io);
      std::error_code refused;
      clients.back().connect(Protocol::endpoint(folder.file("s")), refused);
    }
  }
  TempDir folder;
  asio::io_context io, client_io;
  Protocol::acceptor acceptor;
  std::list<std::pair<Protocol::socket, ConnectionSeat>> taken;
  std::list<Protocol::socket> clients;
  Loop loop;
};

TEST(Fault, ConnectLoopIsAcceptedAtTheServersRate) {
  Listening server({.at_once = 1000, .per_second = 100, .burst = 20});
  server.connect(120);
  server.io.run_for(500ms);
  EXPECT_GE(server.taken.size(), 20U);
  EXPECT_LE(server.taken.size(), 80U) << "20 at once and 100 a second, for half a second";
  record({"A peer connects in a loop", "No more than 20 connections at once and 100 a second are taken",
          fmt::format("{} of 120 taken in 500 ms", server.taken.size())});
}

TEST(Fault, ClosedConnectionsFreeTheirPlaces) {
  Listening server({.at_once = 4, .per_second = 1000, .burst = 100});
  server.connect(10);
  ASSERT_TRUE(run_until(server.io, [&] { return server.loop.counts().sent_away == 6; }));
  EXPECT_EQ(server.taken.size(), 4U);
  server.taken.clear();
  server.connect(1);
  EXPECT_TRUE(run_until(server.io, [&] { return server.taken.size() == 1; }));
  record({"More connections than there is room for", "The number is limited; the rest is closed at once",
          fmt::format("{} taken, {} closed", server.loop.counts().taken, server.loop.counts().sent_away)});
}

TEST(Fault, IdleConnectionIsEvictedForANewOne) {
  ConnectionEviction giving_way;
  std::string left;
  std::map<char, ConnectionEviction::Place> places;
  const auto enter = [&](char name, EvictionReason because) {
    places[name] = giving_way.enter(because, [&, name] {
      left += name;
      places.erase(name);
    });
  };
  Listening server({.at_once = 1, .per_second = 1000, .burst = 100}, [&] { return giving_way.make_room(); });
  enter('a', EvictionReason::kNotReading);
  enter('b', EvictionReason::kSilent);
  enter('c', EvictionReason::kSilent);
  server.connect(5);
  ASSERT_TRUE(run_until(server.io, [&] { return server.loop.counts().sent_away == 1; }));
  EXPECT_EQ(left, "bca") << "first who says nothing, of them who came first";
  EXPECT_EQ(server.loop.counts().gave_way, 3U);
  EXPECT_EQ(server.taken.size(), 4U) << "with the first, who has found a seat";
  record({"All seats of a server are taken, and more clients come",
          "Silent clients are evicted, then those that do not read; without either the next one is refused",
          fmt::format("{} gave way, {} disconnected", left.size(), server.loop.counts().sent_away)});
}

TEST(Fault, WaitingConnectionsAreAcceptedWhenAPlaceIsFree) {
  Listening server({.at_once = 2, .others_wait = true, .per_second = 1000, .burst = 100});
  server.connect(6);
  ASSERT_TRUE(run_until(server.io, [&] { return server.taken.size() == 2; }));
  server.io.run_for(50ms);
  EXPECT_EQ(server.taken.size(), 2U);
  for (int went = 1; went <= 4; ++went) {
    server.taken.pop_front();
    ASSERT_TRUE(run_until(server.io, [&] { return server.taken.size() == 2; }));
  }
  EXPECT_EQ(server.loop.counts().sent_away, 0U);
  record({"More clients ask at once than a server of HTTP has seats", "They wait in the kernel's queue for their turn",
          fmt::format("{} of 6 taken, {} disconnected", server.loop.counts().taken, server.loop.counts().sent_away)});
}

TEST(Fault, WithoutDescriptorsTheServerWaitsAndThenContinues) {
  Listening server({});
  server.connect(1);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  server.io.run_for(500ms);
  const auto failed = server.loop.counts().failed;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(server.taken.empty());
  EXPECT_GE(failed, 1U);
  EXPECT_LE(failed, 6U) << "one try in 100 ms";
  EXPECT_TRUE(run_until(server.io, [&] { return server.taken.size() == 1; }));
  record({"No file descriptors are left", "Listeners wait 100 ms between tries and serve waiting clients afterwards",
          fmt::format("{} tries in 500 ms", failed)});
}

}  // namespace
}  // namespace hilgate::test
