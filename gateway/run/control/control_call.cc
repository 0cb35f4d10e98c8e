// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/control/control_call.h"

#include <fmt/format.h>

#include <asio/buffer.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/read_until.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace hilgate {
namespace {

constexpr std::size_t kLongestAnswer = std::size_t{64} << 20;

class ControlCall : public std::enable_shared_from_this<ControlCall> {
 public:
  ControlCall(asio::io_context& context, std::string request, std::function<void(std::string)> done)
      : socket_(context), deadline_(context), request_(std::move(request) + "\n"), done_(std::move(done)) {}

  void start(const std::string& path, std::chrono::seconds patience) {
    deadline_.expires_after(patience);
    deadline_.async_wait([self = shared_from_this()](const asio::error_code& error) {
      if (!error) {
        self->fail("the gateway does not answer: it hangs, is stopped or overloaded");
      }
    });
    socket_.async_connect(asio::local::stream_protocol::endpoint(path),
                          [self = shared_from_this()](const asio::error_code& error) {
                            if (error == asio::error::access_denied) {
                              self->fail("permission denied; run as root or join the group that owns the socket");
                            } else {
                              error ? self->fail("the gateway is not running") : self->ask();
                            }
                          });
  }

 private:
  void ask() {
    // Who is refused may be answered before all is written: reading says more than the failed write.
    asio::async_write(socket_, asio::buffer(request_),
                      [self = shared_from_this()](const asio::error_code&, std::size_t) {});
    asio::async_read_until(socket_, asio::dynamic_buffer(answer_, kLongestAnswer), '\n',
                           [self = shared_from_this()](const asio::error_code& error, std::size_t length) {
                             if (error) {
                               return self->fail("the gateway has closed the connection without an answer");
                             }
                             self->answer_.resize(length - 1);
                             self->finish(std::move(self->answer_));
                           });
  }

  void fail(const std::string& why) { finish(nlohmann::json{{"ok", false}, {"error", why}}.dump()); }

  void finish(std::string answer) {
    deadline_.cancel();
    std::error_code ignored;
    socket_.close(ignored);
    if (const auto done = std::exchange(done_, nullptr)) {
      done(std::move(answer));
    }
  }

  asio::local::stream_protocol::socket socket_;
  asio::steady_timer deadline_;
  std::string request_;
  std::string answer_;
  std::function<void(std::string)> done_;
};

}  // namespace

void control_call(asio::io_context& context, const std::string& socket, std::string request,
                  std::chrono::seconds patience, std::function<void(std::string answer)> done) {
  std::make_shared<ControlCall>(context, std::move(request), std::move(done))->start(socket, patience);
}

}  // namespace hilgate
