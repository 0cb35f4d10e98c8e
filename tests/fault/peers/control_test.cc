// SPDX-License-Identifier: Apache-2.0
// Local users at the control socket of a run with simulators.
#include <optional>

#include "gateway/configuration/configuration.h"
#include "tests/fault/eyes/hostile_crowd.h"
#include "tests/fault/peers/peer_fault.h"
#include "tests/support/eventually.h"

namespace hilgate::test {
namespace {

using ControlPeers = NativePeerFault;

std::string requests(int count) {
  std::string text;
  for (int n = 0; n < count; ++n) {
    text += "{\"command\": \"status\"}\n";
  }
  return text;
}

TEST_F(ControlPeers, AskAndReadNothing) {
  constexpr std::size_t kAtOnce = 60;
  std::optional<HostileCrowd> crowd(std::in_place, host(), "unix:" + control_socket(gateway().run()).string(),
                                    Manner{.at_once = kAtOnce, .first = requests(100), .then = requests(100)});
  EXPECT_TRUE(eventually([&] { return crowd->made() > kAtOnce; })) << "none is evicted";
  std::chrono::nanoseconds slowest{};
  for (int n = 0; n < 4; ++n) {
    slowest = std::max(slowest, time_of([] { EXPECT_FALSE(status_json().empty()); }));
  }
  const std::size_t made = crowd->made();
  crowd.reset();
  const auto answer = time_of([] { EXPECT_FALSE(status_json().empty()); });
  conclude_windows({"60 clients ask the control socket a hundred times, and read nothing",
                    "32 at most are kept; they are evicted, and an operator is answered",
                    fmt::format("{} connections; an operator is answered after {} at most; a status after {}", made,
                                text_of(slowest), text_of(answer))},
                   {Side::kPhysics, Side::kNetsim});
}

}  // namespace
}  // namespace hilgate::test
