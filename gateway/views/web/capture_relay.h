// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace hilgate {

/// Passes a capture of a run (pcapng; docs/how-to/captures.md) on to who takes it piece by piece, for a time:
/// whole blocks of it, so that it can be read wherever it ends.
class CaptureRelay : public std::enable_shared_from_this<CaptureRelay> {
 public:
  struct Taker {
    std::function<void(const std::string& why)> refused;  // then nothing more comes
    /// The next piece comes once `taken` was called.
    std::function<void(std::string bytes, std::function<void()> taken)> take;
    std::function<void()> ended;
  };

  CaptureRelay(asio::io_context& context, std::string request, Taker taker);

  void start(const std::string& control_socket, std::chrono::seconds time);
  /// Nothing is called any more.
  void stop();

 private:
  void ask();
  void take_answer(std::size_t length);
  void pass_on();
  void pass(std::string bytes);
  void refuse(const std::string& why);
  void end();

  asio::local::stream_protocol::socket socket_;
  asio::steady_timer timer_;
  std::string request_;
  std::string answer_;
  std::array<char, std::size_t{64} << 10> piece_{};
  std::string block_;  // one that is not yet whole
  Taker taker_;
};

}  // namespace hilgate
