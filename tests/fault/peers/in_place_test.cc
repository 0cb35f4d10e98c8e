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

TEST_P(InPlace, AnswersByteByByte) {
  conclude_in_place("answers byte by byte", "Taken",
                    {.greeting = hello(),
                     .answer =
                         [](StreamPeer& peer, const auto& begin) {
                           const std::string bytes = end_of(begin.window());
                           for (const char byte : bytes) {
                             peer.send({&byte, 1});
                             std::this_thread::sleep_for(100us);
                           }
                         }},
                    {.questions = 10});
}

TEST_P(InPlace, AnswersLateByOneWindow) {
  const std::uint64_t late = counts(gateway().status(), GetParam())("late");
  conclude_in_place("answers each window one too late", "Counted as late, and taken",
                    {.greeting = hello(),
                     .answer =
                         [](StreamPeer& peer, const auto& begin) {
                           std::this_thread::sleep_for(kWindow * 3 / 2);
                           peer.send(end_of(begin.window()));
                         }},
                    {.questions = 10});
  EXPECT_GT(counts(gateway().status(), GetParam())("late"), late);
}

TEST_P(InPlace, AnswersTwice) {
  conclude_in_place("answers each window twice", "The second answer is ignored and named",
                    {.greeting = hello(),
                     .answer =
                         [](StreamPeer& peer, const auto& begin) {
                           peer.send(end_of(begin.window()));
                           std::this_thread::sleep_for(1ms);
                           peer.send(end_of(begin.window()));
                         }},
                    {.told = "expected", .questions = 10});
}

TEST_P(InPlace, UnsolicitedAnswers) {
  conclude_in_place("answers windows that were not requested", "Named; the right answer after them is accepted",
                    {.greeting = hello(),
                     .answer =
                         [](StreamPeer& peer, const auto& begin) {
                           peer.send(end_of(begin.window() + 1'000'000) + end_of(~std::uint64_t{0}) +
                                     end_of(begin.window() - 1) + end_of(begin.window()));
                         }},
                    {.told = "expected window", .questions = 10});
}

TEST_P(InPlace, MessagesOutOfOrder) {
  wire::native::Message question;
  question.mutable_begin()->set_window(7);
  conclude_in_place(
      "sends answers before its hello, further hellos and requests of its own",
      "Named; the window continues without an answer",
      {.greeting = end_of(0) + framed(question) + hello() + hello() + framed(question),
       .answer = [&question](StreamPeer& peer,
                             const auto& begin) { peer.send(hello() + framed(question) + end_of(begin.window())); }},
      {.told = "bad_message", .questions = 10});
}

TEST_P(InPlace, LeavesInTheMiddleOfAMessage) {
  conclude_in_place("disconnects in the middle of every fourth answer", "Named; the next peer is accepted",
                    {.greeting = hello(), .answer = leaving_in_every_fourth(end_of)},
                    {.told = "bytes of a frame", .questions = 5, .connections = 5});
}

TEST_P(InPlace, LengthsWithoutEnd) {
  conclude_in_place(
      "announces messages of 4 GiB", "Named and disconnected",
      {.greeting = hello(), .answer = [](StreamPeer& peer, const auto&) { peer.send("\xff\xff\xff\xff much"); }},
      {.told = "exceeds the limit", .questions = 3, .connections = 3});
}

TEST_P(InPlace, Noise) {
  conclude_in_place("answers with noise", "Named; the window continues without an answer",
                    {.greeting = hello(),
                     .answer =
                         [](StreamPeer& peer, const auto& begin) {
                           const Bytes noise = payload(200, begin.window());
                           peer.send(framed({reinterpret_cast<const char*>(noise.data()), noise.size()}));
                         }},
                    {.told = "bad_message", .questions = 10});
}

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

TEST_P(InPlace, AStormOfConnections) {
  conclude_in_place("sends a hello and disconnects, again and again",
                    "Named; it is accepted at most 100 times a second",
                    {.greeting = hello(), .connected = [](StreamPeer& peer) { peer.leave(); }},
                    {.told = ": listening on", .connections = 20});
}

TEST_P(InPlace, ReadsNothing) {
  conclude_in_place("sends a hello, and reads and does not answer", "Disconnected after `timeout` and named",
                    {.greeting = hello(), .reads = false}, {.told = "no answer for", .connections = 2});
}

INSTANTIATE_TEST_SUITE_P(Physics, InPlace, testing::Values(Side::kPhysics));
INSTANTIATE_TEST_SUITE_P(Netsim, InPlace, testing::Values(Side::kNetsim));

}  // namespace
}  // namespace hilgate::test
