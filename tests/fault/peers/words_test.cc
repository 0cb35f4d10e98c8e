// SPDX-License-Identifier: Apache-2.0
// Simulators that keep to the protocol and say what cannot be.
#include "tests/fault/peers/in_place.h"

namespace hilgate::test {
namespace {

class Words : public InPlaceOf {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (!IsSkipped()) {
      start_between({});
      begin_quietly();
    }
  }
};

using wire::native::End;
using wire::native::Message;

// Says hello, and answers each question with these words.
HostileSimulator::Ways saying(native::Role role, std::function<void(End&)> words) {
  return {.greeting = hello_of(role), .answer = [words = std::move(words)](StreamPeer& peer, const auto& begin) {
            Message message;
            message.mutable_end()->set_window(begin.window());
            words(*message.mutable_end());
            peer.send(framed(message));
          }};
}

TEST_F(Words, LinksAndVerdictsByTheHundredThousand) {
  const auto words = saying(native::Role::kNetwork, [](End& end) {
    for (int n = 0; n < 100'000; ++n) {
      end.add_verdicts()->set_id(static_cast<std::uint64_t>(n));
      end.add_forget(static_cast<std::uint64_t>(n));
    }
  });
  const std::string measured = in_place_of(Side::kNetsim, words, {.questions = 3});
  const auto resident = [] { return Holdings::of(gateway().process().pid()).resident_kib; };
  const std::size_t once = resident();
  static_cast<void>(in_place_of(Side::kNetsim, words, {.questions = 3}));
  EXPECT_LE(resident(), once + kib_of_slack()) << "room for the largest answer is made once";
  conclude_windows({"The network simulator answers with 100000 verdicts on packets that were not offered",
                    "Ignored; frames continue, and memory grows once", measured},
                   {Side::kPhysics}, {.memory = false});
}

}  // namespace
}  // namespace hilgate::test
