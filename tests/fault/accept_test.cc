// SPDX-License-Identifier: Apache-2.0
// Connect loops, connections that stay, and a process without descriptors.
#include "host/accept_loop.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fmt/format.h>
#include <asio/local/stream_protocol.hpp>
#include <list>
#include <vector>

#include "tests/fault/fault_record.h"
#include "tests/loop.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Protocol = asio::local::stream_protocol;

struct Listening {
  explicit Listening(AcceptLimits limits)
      : acceptor(io, Protocol::endpoint(folder.file("s"))),
        loop(acceptor, limits, [this](Protocol::socket socket, ConnectionSeat seat) {
          taken.emplace_back(std::move(socket), std::move(seat));
        }) {}
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
  AcceptLoop<Protocol::acceptor> loop;
};

TEST(Fault, AConnectLoopIsTakenAtTheRateThatTheServerSays) {
  Listening server({.at_once = 1000, .per_second = 100, .burst = 20});
  server.connect(120);
  server.io.run_for(500ms);
  EXPECT_GE(server.taken.size(), 20U);
  EXPECT_LE(server.taken.size(), 80U) << "20 at once and 100 a second, for half a second";
  record({"A peer connects in a loop", "No more than 20 connections at once and 100 a second are taken",
          fmt::format("{} of 120 taken in 500 ms", server.taken.size())});
}

TEST(Fault, ConnectionsThatStayDoNotKeepOthersOutOnceTheyGo) {
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

TEST(Fault, WithoutDescriptorsItWaitsInsteadOfSpinningAndThenGoesOn) {
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
  record({"No file descriptors are left", "Listeners wait 100 ms between tries and serve whoever waits afterwards",
          fmt::format("{} tries in 500 ms", failed)});
}

}  // namespace
}  // namespace hilgate::test
