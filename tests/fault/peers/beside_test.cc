// SPDX-License-Identifier: Apache-2.0
// Who comes to a simulator's socket while the simulator is there: everybody is disconnected at once, and its windows go
// on.
#include <chrono>
#include <ostream>
#include <string_view>

#include "tests/fault/peers/foreign_words.h"
#include "tests/fault/peers/peer_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Whose sockets they come to. ROS-NetSim's are its simulators' own.
struct Door {
  const char* transport;
  const char* protocol = "native";
  [[nodiscard]] bool is_native() const { return std::string_view(protocol) == "native"; }
  friend void PrintTo(const Door& door, std::ostream* out) { *out << door.protocol << " " << door.transport; }
};

class Beside : public PeerFault, public testing::WithParamInterface<Door> {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    start_between({.transport = GetParam().transport,
                   .physics_protocol = GetParam().protocol,
                   .netsim_protocol = GetParam().protocol,
                   .netsim = GetParam().is_native() ? ", expiry: 10s" : ""});
    begin_quietly();
  }
  static constexpr Side kSides[] = {Side::kPhysics, Side::kNetsim};

  // What a simulator says first, and of a window.
  static std::string introduction(Side side) { return GetParam().is_native() ? hello_of(role(side)) : ""; }
  static std::string answer(Side side, std::uint64_t window) {
    return GetParam().is_native() ? end_of(window) : ForeignSide{GetParam().protocol, side}.end(window);
  }
  // Comes again and again for a while, and says this as often as it is heard; how often it came.
  static std::size_t come_and_say(const std::string& bytes, std::chrono::milliseconds length = 400ms) {
    std::size_t times = 0;
    for (const auto end = Clock::now() + length; Clock::now() < end; ++times) {
      StreamPeer peer(host(), address(kSides[times % 2]));
      while (peer.send(bytes, 20ms) && Clock::now() < end) {
      }
    }
    return times;
  }
  void conclude_beside(const std::string& fault, const std::string& measured) {
    expect_told("rejected a second peer");
    for (const Side side : kSides) {
      answered_again(side);
    }
    const std::string of = GetParam().is_native() ? "" : ", of DANCERS";
    conclude_windows({fmt::format("{}, over {}{}", fault, GetParam().transport, of),
                      "Disconnected at once and named in status and log; the simulators are not disturbed", measured},
                     {Side::kPhysics, Side::kNetsim});
  }
};

TEST_P(Beside, SilentClients) {
  std::size_t closed = 0;
  const auto took = time_of([&closed] {
    for (int n = 0; n < 10; ++n) {
      StreamPeer peer(host(), address(kSides[n % 2]));
      ASSERT_TRUE(peer.is_open());
      closed += peer.closed_within(10s) ? 1 : 0;
    }
  });
  EXPECT_EQ(closed, 10U);
  conclude_beside("10 peers connect to simulators' sockets and send nothing",
                  fmt::format("{} disconnected in {}", closed, text_of(took)));
}

TEST_P(Beside, AFloodOfBytes) {
  const std::size_t times = come_and_say(std::string(1 << 16, '\x5a'));
  conclude_beside("A peer floods simulators' sockets with bytes", fmt::format("came {} times", times));
}

TEST_P(Beside, HalfAMessageByteByByte) {
  const std::string bytes = GetParam().is_native() ? introduction(Side::kPhysics) : answer(Side::kPhysics, 0);
  std::size_t sent = 0;
  for (int n = 0; n < 10; ++n) {
    StreamPeer peer(host(), address(kSides[n % 2]));
    for (std::size_t i = 0; i + 1 < bytes.size() && peer.send(bytes.substr(i, 1)); ++i) {
      ++sent;
      std::this_thread::sleep_for(2ms);
    }
    EXPECT_TRUE(peer.closed_within(10s));
  }
  conclude_beside("Ten peers send half a message byte by byte",
                  fmt::format("{} bytes said until they were disconnected", sent));
}

TEST_P(Beside, LengthsWithoutEnd) {
  const std::size_t times = come_and_say(std::string(4, '\xff') + "much");
  conclude_beside("A peer announces messages of 4 GiB", fmt::format("came {} times", times));
}

TEST_P(Beside, AStormOfConnections) {
  std::size_t times = 0;
  for (const auto end = Clock::now() + 1s; Clock::now() < end;) {
    times += StreamPeer(host(), address(kSides[times % 2])).is_open() ? 1 : 0;
  }
  conclude_beside("A peer connects to simulators' sockets and leaves, as quickly as it can",
                  fmt::format("{} connections in a second", times));
}

TEST_P(Beside, ImpostorsWithAnswers) {
  std::size_t times = 0;
  const std::uint64_t now = gateway().status().window("number");
  for (const auto end = Clock::now() + 400ms; Clock::now() < end; ++times) {
    const Side side = kSides[times % 2];
    StreamPeer peer(host(), address(side));
    std::string bytes = introduction(side);
    for (std::uint64_t ahead = 0; ahead < 50; ++ahead) {
      bytes += answer(side, now + ahead);
    }
    peer.send(bytes);
    EXPECT_TRUE(peer.closed_within(10s));
  }
  conclude_beside("Impostors send a hello as a simulator and answer later windows",
                  fmt::format("{} impostors, no answer taken", times));
}

TEST_P(Beside, ClientsThatNeverReadNorClose) {
  std::vector<std::unique_ptr<StreamPeer>> peers;
  for (int n = 0; n < 16; ++n) {
    peers.push_back(std::make_unique<StreamPeer>(host(), address(kSides[n % 2])));
  }
  std::this_thread::sleep_for(300ms);
  const Holdings held = Holdings::of(gateway().process().pid());
  conclude_beside("16 peers read nothing and keep their ends of simulators' sockets open",
                  fmt::format("{} descriptors meanwhile", held.descriptors));
}

INSTANTIATE_TEST_SUITE_P(Unix, Beside, testing::Values(Door{"unix"}));
INSTANTIATE_TEST_SUITE_P(Tcp, Beside, testing::Values(Door{"tcp"}));
INSTANTIATE_TEST_SUITE_P(Dancers, Beside, testing::Values(Door{"unix", "dancers"}));

}  // namespace
}  // namespace hilgate::test
