// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "physics_link/native/native.pb.h"
#include "physics_link/native/native_protocol.h"
#include "tests/fault/peers/stream_peer.h"

namespace hilgate::test {

/// A body with its length in front.
std::string framed(std::string_view body);
std::string framed(const wire::native::Message& message);
/// The native protocol's words of a simulator that behaves.
std::string hello_of(native::Role role);
std::string end_of(std::uint64_t window);

/// A simulator that connects, and connects again whenever it is disconnected, and has ways of its own. Runs until it
/// goes. It reads questions of the native protocol.
class HostileSimulator {
 public:
  using Begin = wire::native::Begin;
  struct Ways {
    std::string greeting{};                                           // the bytes it begins with
    std::function<void(StreamPeer&)> connected = [](StreamPeer&) {};  // what it does then
    std::function<void(StreamPeer&, const Begin&)> answer = [](StreamPeer&, const Begin&) {};  // to a question
    bool listens = false;  // the gateway connects to it, on a Unix socket
  };
  HostileSimulator(const NetNs& where, std::string address, Ways ways);

  [[nodiscard]] std::uint64_t connections() const { return connections_; }
  [[nodiscard]] std::uint64_t questions() const { return questions_; }

 private:
  void run(const std::stop_token& stop);
  void talk(const std::stop_token& stop, StreamPeer& peer);

  const NetNs& where_;
  std::string address_;
  Ways ways_;
  std::atomic<std::uint64_t> connections_ = 0, questions_ = 0;
  std::jthread thread_;
};

}  // namespace hilgate::test
