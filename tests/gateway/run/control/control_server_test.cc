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
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/loop.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Socket = asio::local::stream_protocol::socket;

constexpr auto kCostOfQuestion = 2ms;
constexpr auto kThreadIsBusy = 50ms;  // longer than the others wait for a share after a question of that cost

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
                                         std::this_thread::sleep_for(kCostOfQuestion);
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
  std::this_thread::sleep_for(kThreadIsBusy);  // the others' time comes meanwhile
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

class ControlDocuments : public testing::Test {
 protected:
  ControlServer::Commands commands(ControlServer::Gather gather) {
    return {.changes = {"set"}, .streams = {}, .gather = std::move(gather)};
  }
  void serve(ControlServer::Gather gather) {
    server_.emplace(
        io_, folder_.file("control"), commands(std::move(gather)),
        [this](const nlohmann::json&) {
          changed_.release();
          return nlohmann::ordered_json("changed");
        },
        ControlServer::Stream{});
  }
  Socket ask(const std::string& command) {
    Socket socket(clients_);
    socket.connect(folder_.file("control"));
    asio::write(socket, asio::buffer(fmt::format("{{\"command\": \"{}\"}}\n", command)));
    return socket;
  }
  std::string answer_to(Socket& socket) {
    if (!run_until(io_, [&socket] { return socket.available() > 0; })) {
      return "nothing";
    }
    std::string answer(socket.available(), '\0');
    asio::read(socket, asio::buffer(answer));
    return answer;
  }

  TempDir folder_;
  asio::io_context io_, clients_;
  std::counting_semaphore<> changed_{0};
  std::optional<ControlServer> server_;
};

TEST_F(ControlDocuments, AChangeWaitsForTheOneThatIsMade) {
  std::counting_semaphore<> begun{0}, made{0};
  serve([&](const nlohmann::json& request) -> ControlServer::Document {
    if (request.at("command") != "status") {
      return {};
    }
    return [&] {
      begun.release();
      return nlohmann::ordered_json(made.try_acquire_for(10s) ? "before the change" : "late");
    };
  });
  Socket reader = ask("status");
  ASSERT_TRUE(run_until(io_, [&begun] { return begun.try_acquire(); }));
  Socket changer = ask("set");
  for (int i = 0; i < 100; ++i) {
    io_.poll();
  }
  EXPECT_FALSE(changed_.try_acquire());
  made.release();
  EXPECT_EQ(answer_to(reader), "{\"ok\":true,\"result\":\"before the change\"}\n");
  EXPECT_EQ(answer_to(changer), "{\"ok\":true,\"result\":\"changed\"}\n");
}

TEST_F(ControlDocuments, OneThatFailsIsRefusedAndTheNextIsMade) {
  int asked = 0;
  serve([&asked](const nlohmann::json&) -> ControlServer::Document {
    switch (++asked) {
      case 1:
        throw std::runtime_error("not gathered");
      case 2:
        return []() -> nlohmann::ordered_json { throw std::runtime_error("not made"); };
      default:
        return [] { return nlohmann::ordered_json("whole"); };
    }
  });
  Socket first = ask("status");
  EXPECT_EQ(answer_to(first), "{\"ok\":false,\"error\":\"not gathered\"}\n");
  Socket second = ask("status");
  EXPECT_EQ(answer_to(second), "{\"ok\":false,\"error\":\"not made\"}\n");
  Socket third = ask("status");
  EXPECT_EQ(answer_to(third), "{\"ok\":true,\"result\":\"whole\"}\n");
}

TEST_F(ControlDocuments, TheServerEndsWhileOneIsMade) {
  std::counting_semaphore<> begun{0};
  serve([&](const nlohmann::json&) -> ControlServer::Document {
    return [&] {
      begun.release();
      static_cast<void>(changed_.try_acquire_for(10s));
      return nlohmann::ordered_json("late");
    };
  });
  Socket reader = ask("status");
  ASSERT_TRUE(run_until(io_, [&begun] { return begun.try_acquire(); }));
  changed_.release();
  server_.reset();
  io_.restart();
  io_.run_for(10s);
  EXPECT_TRUE(io_.stopped()) << "something is still waited for";
}

}  // namespace
}  // namespace hilgate::test
