// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/events/event_feed.h"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <asio/io_context.hpp>
#include <atomic>
#include <chrono>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "host/control_clock.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// A feed with one client, whose statuses take a while.
class EventFeedTest : public testing::Test {
 protected:
  EventFeedTest() {
    std::array<int, 2> ends{};
    checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
    own_ = FileDescriptor(ends[0]);
    client_ = FileDescriptor(ends[1]);
  }

  void subscribe(const nlohmann::json& request) {
    feed_.check(request);
    feed_.stream(request, own_, nullptr);
    char first = 0;
    while (request.contains("every_s") && ::recv(client_.get(), &first, 1, MSG_PEEK) != 1) {
      ASSERT_GT(context_.run_one_for(10s), 0U) << "no status";
    }
  }
  void work_for(ControlClock::duration time) {
    context_.restart();
    context_.run_for(time);
  }
  // What came since the last time.
  std::vector<std::string> events() {
    std::array<char, 1 << 16> bytes{};
    for (ssize_t got = 0; (got = ::recv(client_.get(), bytes.data(), bytes.size(), 0)) > 0;) {
      text_.append(bytes.data(), static_cast<std::size_t>(got));
    }
    std::vector<std::string> names;
    for (std::size_t end = 0; (end = text_.find('\n')) != std::string::npos; text_.erase(0, end + 1)) {
      names.push_back(nlohmann::json::parse(text_.substr(0, end)).at("event"));
    }
    return names;
  }
  // The next ones; fewer when none comes for 10 s.
  std::vector<std::string> await_events(std::size_t count) {
    std::vector<std::string> names = events();
    while (names.size() < count && context_.run_one_for(10s) > 0) {
      std::ranges::copy(events(), std::back_inserter(names));
    }
    return names;
  }

  asio::io_context context_;
  ControlClock::duration cost_{0};
  std::atomic<ControlClock::duration> spent_{0ns};  // of the threads that make them
  EventFeed feed_{context_,
                  {.now = [] { return SimTime{}; },
                   .status =
                       [this] {
                         return [this] {
                           std::this_thread::sleep_for(cost_);
                           spent_ = spent_.load() + cost_;
                           return nlohmann::ordered_json{{"links", 1}};
                         };
                       }}};
  FileDescriptor own_, client_;
  std::string text_;
};

// At once, and once more when the next window has it.
TEST_F(EventFeedTest, AChangeBringsTwoStatusesForward) {
  subscribe({{"every_s", 3600}});
  EXPECT_THAT(events(), testing::ElementsAre("status"));
  feed_.happened("set", {});
  feed_.happened("mark", {});
  EXPECT_THAT(await_events(4), testing::ElementsAre("set", "mark", "status", "status"));
  feed_.happened("mark", {});
  work_for(50ms);
  EXPECT_THAT(events(), testing::ElementsAre("mark"));
}

TEST_F(EventFeedTest, ClientsWithoutStatusesGetNone) {
  subscribe(nlohmann::json::object());
  feed_.happened("set", {});
  work_for(20ms);
  EXPECT_THAT(events(), testing::ElementsAre("set"));
}

TEST_F(EventFeedTest, WhatHappensWhileAStatusIsMadeComesAfterIt) {
  cost_ = 20ms;
  feed_.check({{"every_s", 3600}});
  feed_.stream({{"every_s", 3600}}, own_, nullptr);
  feed_.happened("mark", {});
  feed_.happened("set", {});
  EXPECT_THAT(await_events(4), testing::ElementsAre("status", "mark", "set", "status"));
}

// By the statuses' own times: what the machine does meanwhile makes them fewer.
TEST_F(EventFeedTest, StatusesOfManyChangesTakeATenthOfTheThread) {
  cost_ = 2ms;
  subscribe({{"every_s", 3600}});
  const auto begin = ControlClock::now();
  for (int i = 0; i < 200; ++i) {
    feed_.happened("set", {});
    work_for(1ms);
  }
  EXPECT_LE(spent_.load(), (ControlClock::now() - begin) / 10 + 2 * cost_);
  std::vector<std::string> names = events();
  while (names.back() != "status") {
    ASSERT_GT(context_.run_one_for(10s), 0U) << "the last change has one, too";
    std::ranges::copy(events(), std::back_inserter(names));
  }
  EXPECT_EQ(std::ranges::count(names, "set"), 200);
}

}  // namespace
}  // namespace hilgate::test
