// SPDX-License-Identifier: Apache-2.0
// Simulators that speak ROS-NetSim or DANCERS and do not keep to it: the gateway says so, the other simulator and
// frames go on, and the right one is taken when it comes.
#include "tests/fault/peers/foreign_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

class ForeignPeers : public ForeignFault, public testing::WithParamInterface<ForeignSide> {
 protected:
  void SetUp() override { start_foreign(GetParam()); }
};

TEST_P(ForeignPeers, LengthsWithoutEnd) {
  conclude_foreign("announces messages of 4 GiB", "Named and disconnected",
                   answering([](StreamPeer& peer, const auto&) { peer.send("\xff\xff\xff\xff much"); }),
                   {.told = "exceeds the limit", .questions = 3, .connections = 3});
}

TEST_P(ForeignPeers, LeavesInTheMiddleOfAMessage) {
  conclude_foreign("disconnects in the middle of every fourth answer", "Named; the next peer is accepted",
                   answering(leaving_in_every_fourth([this](std::uint64_t window) { return foreign().end(window); })),
                   {.told = "bytes of a frame", .questions = 5, .connections = 5});
}

TEST_P(ForeignPeers, TricklesWithoutEnd) {
  conclude_foreign("answers a byte each 20 ms, of a message that is never whole",
                   "Disconnected after `timeout` and named", answering([](StreamPeer& peer, const auto&) {
                     peer.send(std::string_view("\0\0\x10\0", 4));
                     while (!peer.is_sent_away() && peer.send("x")) {
                       std::this_thread::sleep_for(20ms);
                     }
                     peer.leave();
                   }),
                   {.told = "no answer for", .connections = 2});
}

TEST_P(ForeignPeers, Noise) {
  conclude_foreign("answers with noise", "Named; the window continues without an answer",
                   answering([](StreamPeer& peer, const auto& begin) {
                     const Bytes noise = payload(200, begin.window());
                     peer.send(framed({reinterpret_cast<const char*>(noise.data()), noise.size()}));
                   }),
                   {.told = "bad_gzip", .questions = 10});
}

TEST_P(ForeignPeers, GzipBombs) {
  static const std::string bomb = framed(packed(std::string(std::size_t{65} << 20, '\0')));
  conclude_foreign("answers with 65 MB of zeros in 64 kB of gzip", "Refused by name before it is unpacked",
                   answering([](StreamPeer& peer, const auto&) { peer.send(bomb); }), {.told = "bomb", .questions = 3});
}

TEST_P(ForeignPeers, WindowsAgain) {
  conclude_foreign("answers each window, and then the three before it again",
                   "Answers without a question are ignored, by name",
                   answering([this](StreamPeer& peer, const auto& begin) {
                     peer.send(foreign().end(begin.window()));
                     std::this_thread::sleep_for(1ms);
                     for (std::uint64_t before = 1; before <= 3; ++before) {
                       peer.send(foreign().end(begin.window() - before));
                     }
                   }),
                   {.told = "unexpected frame", .questions = 10});
}

TEST_P(ForeignPeers, QuestionsForAnswers) {
  conclude_foreign("answers with the request itself, and then correctly", "Named; the answer after it is accepted",
                   answering([this](StreamPeer& peer, const auto& begin) {
                     peer.send(foreign().message(0, begin.window()));
                     std::this_thread::sleep_for(1ms);
                     peer.send(foreign().end(begin.window()));
                   }),
                   {.told = foreign().is_rosnetsim() ? "expected END" : "received BEGIN", .questions = 10});
}

TEST_P(ForeignPeers, AFloodOfAnswers) {
  std::string many;
  for (std::uint64_t window = 0; window < 1000; ++window) {
    many += foreign().end(window);
  }
  auto ways = answering([](StreamPeer&, const auto&) {});
  ways.connected = [&many](StreamPeer& peer) {
    for (const auto end = std::chrono::steady_clock::now() + 500ms;
         std::chrono::steady_clock::now() < end && peer.send(many, 100ms);) {
    }
  };
  conclude_foreign("sends answers without a pause and without a question", "Named; each costs a look at it", ways,
                   {.told = "unexpected frame"});
}

TEST_P(ForeignPeers, AStormOfConnections) {
  auto ways = answering([](StreamPeer&, const auto&) {});
  ways.connected = [](StreamPeer& peer) { peer.leave(); };
  if (foreign().listens()) {
    conclude_foreign("takes each connection and closes it", "Named; the gateway connects 20 times a second", ways,
                     {.told = ": connected at", .connections = 5});
  } else {
    conclude_foreign("connects and disconnects, again and again", "Named; it is accepted at most 100 times a second",
                     ways, {.told = ": listening on", .connections = 20});
  }
}

TEST_P(ForeignPeers, ReadsNothing) {
  auto ways = answering({});
  ways.reads = false;
  conclude_foreign("reads and does not answer", "Disconnected after `timeout` and named", ways,
                   {.told = "no answer for", .connections = 2});
}

INSTANTIATE_TEST_SUITE_P(RosNetSimNetwork, ForeignPeers, testing::Values(ForeignSide{"rosnetsim", Side::kNetsim}));
INSTANTIATE_TEST_SUITE_P(DancersPhysics, ForeignPeers, testing::Values(ForeignSide{"dancers", Side::kPhysics}));

}  // namespace
}  // namespace hilgate::test
