// SPDX-License-Identifier: Apache-2.0
// Who comes to a simulator's socket while the simulator is there: everybody is disconnected at once, and its windows go
// on.
#include <chrono>

#include "tests/fault/peers/peer_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class Beside : public PeerFault {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    start_between({.transport = "tcp", .netsim = ", expiry: 10s"});
    begin_quietly();
  }
  static constexpr Side kSides[] = {Side::kPhysics, Side::kNetsim};
};

TEST_F(Beside, SecondPeersDisturbNobody) {
  std::vector<std::unique_ptr<StreamPeer>> deaf;
  for (int n = 0; n < 16; ++n) {
    deaf.push_back(std::make_unique<StreamPeer>(host(), address(kSides[n % 2])));
  }
  std::size_t times = 0;
  for (const auto end = Clock::now() + 1s; Clock::now() < end;) {
    times += StreamPeer(host(), address(kSides[times % 2])).is_open() ? 1 : 0;
  }
  const Holdings held = Holdings::of(gateway().process().pid());
  expect_told("rejected a second peer");
  for (const Side side : kSides) {
    answered_again(side);
  }
  conclude_windows({"16 peers read nothing and keep their ends of simulators' sockets open, while another one connects "
                    "and leaves, as quickly as it can, over tcp",
                    "Disconnected at once and named in status and log; the simulators are not disturbed",
                    fmt::format("{} connections in a second, {} descriptors meanwhile", times, held.descriptors)},
                   {Side::kPhysics, Side::kNetsim});
}

}  // namespace
}  // namespace hilgate::test
