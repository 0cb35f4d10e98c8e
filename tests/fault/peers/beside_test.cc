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

  void conclude_beside(const std::string& fault, const std::string& measured) {
    expect_told("rejected a second peer");
    for (const Side side : kSides) {
      answered_again(side);
    }
    conclude_windows({fault + ", over tcp",
                      "Disconnected at once and named in status and log; the simulators are not disturbed", measured},
                     {Side::kPhysics, Side::kNetsim});
  }
};

TEST_F(Beside, AStormOfConnections) {
  std::size_t times = 0;
  for (const auto end = Clock::now() + 1s; Clock::now() < end;) {
    times += StreamPeer(host(), address(kSides[times % 2])).is_open() ? 1 : 0;
  }
  conclude_beside("A peer connects to simulators' sockets and leaves, as quickly as it can",
                  fmt::format("{} connections in a second", times));
}

TEST_F(Beside, ClientsThatNeverReadNorClose) {
  std::vector<std::unique_ptr<StreamPeer>> peers;
  for (int n = 0; n < 16; ++n) {
    peers.push_back(std::make_unique<StreamPeer>(host(), address(kSides[n % 2])));
  }
  std::this_thread::sleep_for(300ms);
  const Holdings held = Holdings::of(gateway().process().pid());
  conclude_beside("16 peers read nothing and keep their ends of simulators' sockets open",
                  fmt::format("{} descriptors meanwhile", held.descriptors));
}

}  // namespace
}  // namespace hilgate::test
