// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/capture_relay.h"

#include <asio/buffer.hpp>
#include <asio/read_until.hpp>
#include <asio/write.hpp>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

namespace hilgate {
namespace {

constexpr std::size_t kLongestRefusal = std::size_t{64} << 10;

constexpr std::size_t kBlockHeader = 8;  // type and length, of a block of pcapng
constexpr std::uint32_t kShortestBlock = 12;

// How much of it is whole blocks.
std::size_t whole_blocks(const std::string& bytes) {
  std::size_t end = 0;
  while (bytes.size() - end >= kBlockHeader) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + end + sizeof length, sizeof length);
    if (length < kShortestBlock || bytes.size() - end < length) {
      break;
    }
    end += length;
  }
  return end;
}

}  // namespace

CaptureRelay::CaptureRelay(asio::io_context& context, std::string request, Taker taker)
    : socket_(context), timer_(context), request_(std::move(request) + "\n"), taker_(std::move(taker)) {}

void CaptureRelay::start(const std::string& control_socket, std::chrono::seconds time) {
  timer_.expires_after(time);
  timer_.async_wait([self = shared_from_this()](const asio::error_code& error) {
    if (!error) {
      self->end();
    }
  });
  socket_.async_connect(asio::local::stream_protocol::endpoint(control_socket),
                        [self = shared_from_this()](const asio::error_code& error) {
                          error ? self->refuse("the gateway is not running") : self->ask();
                        });
}

void CaptureRelay::ask() {
  asio::async_write(socket_, asio::buffer(request_),
                    [self = shared_from_this()](const asio::error_code&, std::size_t) {});
  asio::async_read_until(socket_, asio::dynamic_buffer(answer_, kLongestRefusal), '\n',
                         [self = shared_from_this()](const asio::error_code& error, std::size_t length) {
                           error ? self->refuse("the gateway gives no answer") : self->take_answer(length);
                         });
}

// The answer may be followed by the beginning of the capture.
void CaptureRelay::take_answer(std::size_t length) {
  const auto answer = nlohmann::json::parse(answer_.substr(0, length), nullptr, false);
  if (!answer.is_object() || !answer.value("ok", false)) {
    return refuse(answer.is_object() ? answer.value("error", std::string()) : "invalid reply from the gateway");
  }
  pass(answer_.substr(length));
}

void CaptureRelay::pass_on() {
  socket_.async_read_some(asio::buffer(piece_),
                          [self = shared_from_this()](const asio::error_code& error, std::size_t length) {
                            error ? self->end() : self->pass(std::string(self->piece_.data(), length));
                          });
}

void CaptureRelay::pass(std::string bytes) {
  block_ += bytes;
  const std::size_t whole = whole_blocks(block_);
  if (!taker_.take) {
    return;
  }
  if (whole == 0) {
    return pass_on();
  }
  bytes = block_.substr(0, whole);
  block_.erase(0, whole);
  taker_.take(std::move(bytes), [self = shared_from_this()] { self->pass_on(); });
}

void CaptureRelay::refuse(const std::string& why) {
  const Taker taker = std::exchange(taker_, {});
  stop();
  if (taker.refused) {
    taker.refused(why);
  }
}

void CaptureRelay::end() {
  const Taker taker = std::exchange(taker_, {});
  stop();
  if (taker.ended) {
    taker.ended();
  }
}

void CaptureRelay::stop() {
  taker_ = {};
  timer_.cancel();
  std::error_code ignored;
  socket_.close(ignored);
}

}  // namespace hilgate
