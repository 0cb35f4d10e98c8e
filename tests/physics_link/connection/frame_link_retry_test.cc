// SPDX-License-Identifier: Apache-2.0
// A listener that takes connections and closes them: the gateway is the client of some simulators.
#include <functional>

#include <gtest/gtest.h>
#include <asio/local/stream_protocol.hpp>

#include "physics_link/connection/frame_connection.h"
#include "tests/loop.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Local = asio::local::stream_protocol;

class Closer {
 public:
  Closer(asio::io_context& io, const std::string& path) : acceptor_(io, Local::endpoint(path)) { accept(); }
  [[nodiscard]] int taken() const { return taken_; }

 private:
  void accept() {
    acceptor_.async_accept([this](std::error_code error, const Local::socket&) {
      if (!error) {
        ++taken_;
        accept();
      }
    });
  }
  Local::acceptor acceptor_;
  int taken_ = 0;
};

TEST(FrameLinkRetry, ImmediateClosesDoNotShortenTheRetryInterval) {
  constexpr auto kRetry = 20ms;
  TempDir dir;
  asio::io_context io;
  Closer closer(io, dir.file("s"));
  ConnectionReport report([](const ConnectionEvent&) {});
  std::function<void()> again;
  FrameConnection link(
      io, {.name = "netsim", .endpoint = Endpoint::parse("unix:" + dir.file("s")), .retry = kRetry}, report,
      {.opened = [] {}, .frame = [](std::string_view) {}, .lost = [&again](bool, const auto&) { again(); }});
  again = [&link] { link.open(); };
  const auto begin = Clock::now();
  link.open();
  ASSERT_TRUE(run_until(io, [&] { return closer.taken() >= 5; }));
  EXPECT_GE(Clock::now() - begin, 4 * kRetry);
}

}  // namespace
}  // namespace hilgate::test
