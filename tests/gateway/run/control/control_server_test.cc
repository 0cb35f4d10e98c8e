// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/control/control_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "tests/loop.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Socket = asio::local::stream_protocol::socket;

class ControlServerTest : public testing::Test {
 protected:
  Socket connect() {
    Socket socket(clients_);
    socket.connect(folder_.file("control"));
    return socket;
  }
  static void ask(Socket& socket, int number = 0) {
    asio::write(socket, asio::buffer(fmt::format("{{\"command\": \"status\", \"number\": {}}}\n", number)));
  }

  TempDir folder_;
  asio::io_context io_, clients_;
  int asked_ = 0;
  std::optional<ControlServer> server_{std::in_place,
                                       io_,
                                       folder_.file("control"),
                                       ControlServer::Commands{.changes = {"set"}, .streams = {}},
                                       [this](const nlohmann::json&) {
                                         ++asked_;
                                         std::this_thread::sleep_for(2ms);
                                         return nlohmann::ordered_json::object();
                                       },
                                       ControlServer::Stream{}};
};

// Questions wait for their share of the thread: the second one does when the server goes.
TEST_F(ControlServerTest, PendingRequestIsCancelledWithTheServer) {
  std::vector<Socket> sockets;
  for (int i = 0; i < 3; ++i) {
    sockets.push_back(connect());
    ask(sockets.back(), i);
  }
  ASSERT_TRUE(run_until(io_, [this] { return asked_ == 1; }));
  io_.poll();
  std::this_thread::sleep_for(50ms);  // the others' time has come, and nobody has looked
  server_.reset();
  io_.restart();
  io_.run_for(10s);
  EXPECT_TRUE(io_.stopped()) << "something is still waited for";
  EXPECT_EQ(asked_, 1);
}

// The first is answered at once; those that come meanwhile wait, and have one answer for each question.
TEST_F(ControlServerTest, EqualRequestsShareOneAnswer) {
  std::vector<Socket> sockets;
  for (int i = 0; i < 7; ++i) {
    sockets.push_back(connect());
    ask(sockets.back(), i % 2);
  }
  ASSERT_TRUE(run_until(
      io_, [&] { return std::ranges::all_of(sockets, [](const Socket& socket) { return socket.available() > 0; }); }));
  EXPECT_GE(asked_, 2);
  EXPECT_LT(asked_, 7);
  for (Socket& socket : sockets) {
    std::string answer(socket.available(), '\0');
    asio::read(socket, asio::buffer(answer));
    EXPECT_EQ(answer, "{\"ok\":true,\"result\":{}}\n");
    ask(socket, 7);  // its session goes on
  }
  const int before = asked_;
  ASSERT_TRUE(run_until(
      io_, [&] { return std::ranges::all_of(sockets, [](const Socket& socket) { return socket.available() > 0; }); }));
  EXPECT_LT(asked_, before + 7);
}

TEST_F(ControlServerTest, RequestsAfterTheEndAreNotCarriedOut) {
  Socket socket = connect();
  ASSERT_FALSE(run_until(
      io_, [] { return false; }, 100ms));  // its session reads
  ask(socket);
  server_.reset();
  io_.restart();
  io_.run_for(10s);
  EXPECT_TRUE(io_.stopped()) << "something is still waited for";
  EXPECT_EQ(asked_, 0);
}

}  // namespace
}  // namespace hilgate::test
