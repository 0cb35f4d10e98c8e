// SPDX-License-Identifier: Apache-2.0
// A simulator that does not keep to the protocol: the gateway says so, the other simulator and frames go on, and the
// right one is taken when it comes.
#include "tests/fault/peers/in_place.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

class InPlace : public InPlaceOf, public testing::WithParamInterface<Side> {
 protected:
  [[nodiscard]] static std::string hello() { return hello_of(role(GetParam())); }
  void conclude_in_place(const std::string& fault, const std::string& promise, HostileSimulator::Ways ways,
                         const Expected& expected) {
    const std::string measured = in_place_of(GetParam(), std::move(ways), expected);
    conclude_windows({fmt::format("The {} simulator {}", GetParam() == Side::kPhysics ? "physics" : "network", fault),
                      promise, measured},
                     {other(GetParam())});
  }
};

TEST_P(InPlace, AFloodOfAnswers) {
  std::string many;
  for (std::uint64_t window = 0; window < 1000; ++window) {
    many += end_of(window);
  }
  conclude_in_place("sends answers without a pause and without a question", "Named; each costs a look at it",
                    {.greeting = hello(),
                     .connected =
                         [&many](StreamPeer& peer) {
                           for (const auto end = std::chrono::steady_clock::now() + 500ms;
                                std::chrono::steady_clock::now() < end && peer.send(many, 100ms);) {
                           }
                         }},
                    {.told = "expected"});
}

INSTANTIATE_TEST_SUITE_P(Physics, InPlace, testing::Values(Side::kPhysics));
INSTANTIATE_TEST_SUITE_P(Netsim, InPlace, testing::Values(Side::kNetsim));

}  // namespace
}  // namespace hilgate::test
