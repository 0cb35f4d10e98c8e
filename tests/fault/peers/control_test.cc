// SPDX-License-Identifier: Apache-2.0
// Local users at the control socket of a run with simulators.
#include <optional>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "tests/fault/eyes/hostile_crowd.h"
#include "tests/fault/peers/peer_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class ControlPeers : public NativePeerFault {
 protected:
  static std::unique_ptr<StreamPeer> client() {
    return std::make_unique<StreamPeer>(host(), "unix:" + control_socket(gateway().run()).string());
  }
  static bool answers() {
    try {
      return !status_json().empty();
    } catch (const std::exception&) {
      return false;
    }
  }
  static std::string requests(int count) {
    std::string text;
    for (int n = 0; n < count; ++n) {
      text += "{\"command\": \"status\"}\n";
    }
    return text;
  }
  /// While a crowd is at the socket, an operator is answered.
  void suffer(const std::string& fault, const Manner& manner) {
    std::optional<HostileCrowd> crowd(std::in_place, host(), "unix:" + control_socket(gateway().run()).string(),
                                      manner);
    std::this_thread::sleep_for(500ms);
    std::chrono::nanoseconds slowest{};
    for (int n = 0; n < 4; ++n) {
      slowest = std::max(slowest, time_of([] { EXPECT_TRUE(answers()); }));
    }
    const std::size_t made = crowd->made();
    crowd.reset();
    conclude_control(fault, "32 at most are kept; they are evicted, and an operator is answered",
                     fmt::format("{} connections; an operator is answered after {} at most", made, text_of(slowest)));
  }
  void conclude_control(const std::string& fault, const std::string& promise, const std::string& measured) {
    const auto answer = time_of([] {
      const auto end = Clock::now() + 20s;
      while (!answers() && Clock::now() < end) {
      }
    });
    conclude_windows({fault, promise, fmt::format("{}; a status after {}", measured, text_of(answer))},
                     {Side::kPhysics, Side::kNetsim});
  }
};

TEST_F(ControlPeers, SendNothing) {
  suffer("60 clients of the control socket send nothing, and reconnect whenever they are disconnected",
         {.at_once = 60});
}

TEST_F(ControlPeers, WriteHalfARequest) {
  suffer("60 clients write half a request to the control socket, and no more",
         {.at_once = 60, .first = "{\"command\": \"sta"});
}

TEST_F(ControlPeers, AskOnceAndStay) {
  suffer("60 clients ask the control socket once, and stay",
         {.at_once = 60, .first = "{\"command\": \"status\"}\n", .reads = true});
}

TEST_F(ControlPeers, AskAndReadNothing) {
  suffer("60 clients ask the control socket a hundred times, and read nothing",
         {.at_once = 60, .first = requests(100), .then = requests(100)});
}

TEST_F(ControlPeers, FloodOfBytes) {
  std::size_t times = 0;
  const std::string much(1 << 16, '{');
  for (const auto end = Clock::now() + 500ms; Clock::now() < end; ++times) {
    const auto peer = client();
    while (peer->send(much, 20ms) && Clock::now() < end) {
    }
  }
  conclude_control("A client floods the control socket with bytes without a line's end", "Disconnected after 64 KiB",
                   fmt::format("came {} times", times));
}

TEST_F(ControlPeers, RequestsByteByByte) {
  const std::string request = "{\"command\": \"status\"}\n";
  std::vector<std::unique_ptr<StreamPeer>> peers;
  for (int n = 0; n < 8; ++n) {
    peers.push_back(client());
  }
  for (const char byte : request) {
    for (const auto& peer : peers) {
      EXPECT_TRUE(peer->send({&byte, 1}));
    }
    std::this_thread::sleep_for(10ms);
  }
  peers.clear();
  conclude_control("Eight clients write requests byte by byte and leave without the answer", "Nobody waits for them",
                   "8 requests");
}

TEST_F(ControlPeers, StormOfConnections) {
  std::size_t times = 0;
  for (const auto end = Clock::now() + 700ms; Clock::now() < end;) {
    times += client()->is_open() ? 1 : 0;
  }
  conclude_control("A client connects to the control socket and leaves, as quickly as it can",
                   "100 in a second are taken", fmt::format("{} connections", times));
}

TEST_F(ControlPeers, ReadNoAnswers) {
  auto peer = client();
  std::size_t asked = 0;
  for (const auto end = Clock::now() + 1s; Clock::now() < end && peer->send("{\"command\": \"status\"}\n", 20ms);) {
    ++asked;
  }
  peer.reset();
  conclude_control("A client asks for status again and again and reads no answer",
                   "Requests take a tenth of the control thread, and unread answers no memory",
                   fmt::format("{} questions written", asked));
}

TEST_F(ControlPeers, AskWithoutAPause) {
  std::vector<std::jthread> askers;
  std::atomic<std::size_t> answered = 0;
  for (int n = 0; n < 4; ++n) {
    askers.emplace_back([&answered](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        answered += answers() ? 1 : 0;
      }
    });
  }
  std::this_thread::sleep_for(1s);
  askers.clear();
  conclude_control("Four clients ask a run with simulators for status without a pause",
                   "Questions take a tenth of the control thread",
                   fmt::format("{} answers in a second", answered.load()));
}

}  // namespace
}  // namespace hilgate::test
