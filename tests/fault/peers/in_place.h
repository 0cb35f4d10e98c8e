// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "tests/fault/peers/peer_fault.h"
#include "tests/support/eventually.h"

namespace hilgate::test {

/// A hostile simulator in the place of the right one, which comes back afterwards.
class InPlaceOf : public PeerFault {
 protected:
  struct Expected {
    std::string told{};             // in status or log; empty: nothing is wrong with it
    std::uint64_t questions = 0;    // it is asked at least so often
    std::uint64_t connections = 1;  // it comes at least so often
  };
  /// Lets it have its way until it was told of; what it did and how long the right one took to be
  /// heard again.
  std::string in_place_of(Side side, HostileSimulator::Ways ways, const Expected& expected) const {
    stop_simulator(side);
    std::string measured;
    {
      const HostileSimulator hostile(host(), address(side), std::move(ways));
      EXPECT_TRUE(eventually([&] {
        return hostile.questions() >= expected.questions && hostile.connections() >= expected.connections;
      })) << hostile.questions()
          << " questions, " << hostile.connections() << " connections; " << last_event();
      if (!expected.told.empty()) {
        expect_told(expected.told);
      }
      measured = fmt::format("came {} times, was asked {} times", hostile.connections(), hostile.questions());
    }
    start_simulator(side);
    return measured + "; the right one is heard after " + text_of(answered_again(side));
  }
};

}  // namespace hilgate::test
