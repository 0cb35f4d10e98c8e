// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "physics_link/connection/framing.h"
#include "tests/support/netns.h"

namespace hilgate::test {

/// The other end of one of the gateway's stream sockets, which does what no program of ours would.
class StreamPeer {
 public:
  /// Connects to "unix:PATH" or "tcp:HOST:PORT" as seen in a namespace; is_open() says whether anybody is there.
  StreamPeer(const NetNs& where, const std::string& address);
  /// A connection that was accepted.
  explicit StreamPeer(int fd) : fd_(fd) {}
  ~StreamPeer();
  StreamPeer(const StreamPeer&) = delete;
  StreamPeer& operator=(const StreamPeer&) = delete;

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  /// Writes all of it; false once the gateway has gone, or reads nothing for so long.
  bool send(std::string_view bytes, std::chrono::milliseconds limit = std::chrono::seconds{1});
  /// The next frame of the gateway's; empty when none comes in time, or it has gone.
  std::optional<std::string> frame(std::chrono::milliseconds limit);
  /// Whether the gateway closes the connection in time; what it still says is thrown away.
  bool closed_within(std::chrono::milliseconds limit);
  /// Whether the gateway has closed the connection; reads nothing.
  [[nodiscard]] bool is_sent_away() const;
  void leave();

 private:
  bool receive(std::chrono::milliseconds limit);

  int fd_ = -1;
  FrameReader reader_;
};

/// A program that listens where the gateway connects to, and does not answer by itself.
class StreamListener {
 public:
  explicit StreamListener(const std::string& path);
  ~StreamListener();
  StreamListener(const StreamListener&) = delete;
  StreamListener& operator=(const StreamListener&) = delete;

  /// The descriptor of the next connection; -1 when nobody connects in time.
  [[nodiscard]] int take(std::chrono::milliseconds limit) const;

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace hilgate::test
