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

TEST_F(ControlPeers, WriteHalfARequest) {
  suffer("60 clients write half a request to the control socket, and no more",
         {.at_once = 60, .first = "{\"command\": \"sta"});
}

TEST_F(ControlPeers, AskAndReadNothing) {
  suffer("60 clients ask the control socket a hundred times, and read nothing",
         {.at_once = 60, .first = requests(100), .then = requests(100)});
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
