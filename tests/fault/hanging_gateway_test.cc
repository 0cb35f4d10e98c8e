// SPDX-License-Identifier: Apache-2.0
// A gateway that hangs, as who asks it meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <asio/local/stream_protocol.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <csignal>
#include <list>
#include <thread>

#include "gateway/run/control/control_client.h"
#include "tests/fault/fault_record.h"
#include "tests/loop.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Protocol = asio::local::stream_protocol;

const nlohmann::json kStatus{{"command", "status"}};

// What it says; empty when there is an answer.
std::string failure_of(const std::function<void()>& question) {
  try {
    question();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

struct Hanging {
  Hanging() : acceptor(io, Protocol::endpoint(folder.file("s"))) {}
  [[nodiscard]] std::string path() const { return folder.file("s"); }

  TempDir folder;
  asio::io_context io;
  Protocol::acceptor acceptor;
};

void expect_an_end(const std::string& path) {
  EXPECT_NE(failure_of([&] { control_request(path, kStatus, 1s); }).find("does not answer within 1 s"),
            std::string::npos);
  EXPECT_NE(failure_of([&] { control_stream(path, kStatus, 1s); }).find("does not answer within 1 s"),
            std::string::npos);
}

TEST(Fault, GatewayWithoutAnswersDoesNotBlockClients) {
  const Hanging gateway;
  const auto took = time_of([&] { expect_an_end(gateway.path()); });
  record({"A gateway takes connections and does not answer", "The client gives up after its timeout and reports it",
          fmt::format("a request and a stream with 1 s of patience: {}", text_of(took))});
}

/// A process that listens and does not answer, stopped.
class Stopped {
 public:
  explicit Stopped(const std::string& path) : pid_(fork()) {
    if (pid_ == 0) {
      asio::io_context io;
      const Protocol::acceptor acceptor(io, Protocol::endpoint(path));
      raise(SIGSTOP);
      _exit(0);
    }
    int status = 0;
    waitpid(pid_, &status, WUNTRACED);
  }
  ~Stopped() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Stopped(const Stopped&) = delete;
  Stopped& operator=(const Stopped&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(Fault, StoppedGatewayIsReportedWithinTwoSeconds) {
  const TempDir folder;
  const Stopped gateway(folder.file("s"));
  std::string last;
  for (const auto& question : {std::function<void()>([&] { control_request(folder.file("s"), kStatus); }),
                               std::function<void()>([&] { control_stream(folder.file("s"), kStatus); })}) {
    std::string said;
    const auto took = time_of([&] { said = failure_of(question); });
    EXPECT_LT(took, 2s);
    EXPECT_THAT(said, testing::AllOf(testing::HasSubstr("does not answer"),
                                     testing::HasSubstr(fmt::format("process {} (", gateway.pid())),
                                     testing::HasSubstr("stopped by a signal")));
    last = text_of(took);
  }
  record({"A gateway is stopped by a signal (SIGSTOP)", "The client reports it within 2 s, with process and state",
          fmt::format("a stream with a minute of patience: told after {}", last)});
}

TEST(Fault, GatewayThatAcceptsNoConnectionDoesNotBlockClients) {
  Hanging gateway;
  gateway.acceptor.listen(0);
  std::list<Protocol::socket> waiting;
  for (std::error_code full; !full;) {
    waiting.emplace_back(gateway.io, Protocol());
    waiting.back().native_non_blocking(true);
    const Protocol::endpoint to(gateway.path());
    full = ::connect(waiting.back().native_handle(), to.data(), static_cast<socklen_t>(to.size())) == 0
               ? std::error_code()
               : std::error_code(errno, std::generic_category());
  }
  const auto took = time_of([&] { expect_an_end(gateway.path()); });
  record({"A gateway is stopped, and its queue of connections is full",
          "The client gives up after its timeout and reports it",
          fmt::format("a request and a stream with 1 s of patience: {}", text_of(took))});
}

TEST(Fault, AnswerByteByByteDoesNotBlockClients) {
  Hanging gateway;
  std::jthread slow([&gateway](const std::stop_token& stop) {
    constexpr auto kPace = 50ms;
    Protocol::socket client(gateway.io);
    gateway.acceptor.accept(client);
    for (std::error_code gone; !stop.stop_requested() && !gone;) {
      asio::write(client, asio::buffer(" ", 1), gone);
      std::this_thread::sleep_for(kPace);
    }
  });
  const auto took = time_of([&] {
    EXPECT_NE(failure_of([&] { control_stream(gateway.path(), kStatus, 1s); }).find("does not answer within 1 s"),
              std::string::npos);
  });
  record({"A gateway answers a request for a stream byte by byte, without an end",
          "The client gives up after its timeout and reports it", fmt::format("given up after {}", text_of(took))});
}

}  // namespace
}  // namespace hilgate::test
