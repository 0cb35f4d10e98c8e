// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/fault/peers/peer_fault.h"

namespace hilgate::test {

/// Of every fourth answer the first half, and then it leaves; `end(window)` are the answers' bytes.
template <class End>
auto leaving_in_every_fourth(End end) {
  return [end = std::move(end), asked = 0](StreamPeer& peer, const HostileSimulator::Begin& begin) mutable {
    const std::string bytes = end(begin.window());
    if (++asked % 4 == 0) {
      peer.send(std::string_view(bytes).substr(0, bytes.size() / 2));
      peer.leave();
    } else {
      peer.send(bytes);
    }
  };
}

/// A hostile simulator in the place of the right one, which comes back afterwards.
class InPlaceOf : public NativePeerFault {
 protected:
  struct Expected {
    std::string told{};             // in status or log; empty: nothing is wrong with it
    std::uint64_t questions = 0;    // it is asked at least so often
    std::uint64_t connections = 1;  // it comes at least so often
  };
  /// Lets it have its way for a while, and until it was told of; what it did and how long the right one took to be
  /// heard again.
  std::string in_place_of(Side side, HostileSimulator::Ways ways, const Expected& expected) const {
    stop_simulator(side);
    std::string measured;
    {
      const HostileSimulator hostile(host(), address(side), std::move(ways));
      const auto wanted = [&] {
        return hostile.questions() >= expected.questions && hostile.connections() >= expected.connections;
      };
      const auto begin = std::chrono::steady_clock::now();
      const auto since = [&begin] { return std::chrono::steady_clock::now() - begin; };
      while (since() < kLeast || (!wanted() && since() < kMost)) {
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
      }
      EXPECT_TRUE(wanted()) << hostile.questions() << " questions, " << hostile.connections() << " connections; "
                            << last_event();
      if (!expected.told.empty()) {
        expect_told(expected.told);
      }
      measured = fmt::format("came {} times, was asked {} times", hostile.connections(), hostile.questions());
    }
    start_simulator(side);
    return measured + "; the right one is heard after " + text_of(answered_again(side));
  }

 private:
  static constexpr std::chrono::milliseconds kLeast{400}, kMost{20'000};
};

}  // namespace hilgate::test
