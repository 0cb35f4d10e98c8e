// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "physics_link/connection/endpoint.h"
#include "tests/support/netns.h"

namespace hilgate::test {

/// What each connection of a crowd does with a server.
struct Manner {
  std::size_t at_once = 300;             // connections; one that the server closes is made again
  std::string first = {};                // what it says when it is there
  std::string then = {};                 // what it says again and again behind that
  std::chrono::milliseconds every{100};  // so often
  bool reads = false;                    // what it is answered
  bool leaves = false;                   // as soon as it has said the first
};

/// Many connections to "tcp:HOST:PORT" or "unix:PATH", as seen in a namespace, that mean no good, as long as this
/// lives.
class HostileCrowd {
 public:
  HostileCrowd(const NetNs& where, const std::string& address, Manner manner);

  /// How many it has made.
  [[nodiscard]] std::size_t made() const { return made_; }

 private:
  struct Member {
    int fd = -1;
    std::size_t said = 0;  // bytes of `first`, and of `then` once that is said
    bool is_past_first = false;
    std::chrono::steady_clock::time_point next{};
  };

  void attack(const std::stop_token& stop);
  void connect(Member& member);
  /// False once the server has closed it, or it leaves by itself.
  bool act(Member& member);
  bool say(Member& member);
  bool has_been_closed(const Member& member) const;

  Endpoint endpoint_;
  Manner manner_;
  std::atomic<std::size_t> made_ = 0;
  std::vector<Member> members_;
  std::jthread thread_;
};

}  // namespace hilgate::test
