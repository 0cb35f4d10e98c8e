// SPDX-License-Identifier: Apache-2.0
// Simulators that keep to the protocol and say what cannot be.
#include <cmath>
#include <limits>

#include "tests/fault/peers/in_place.h"

namespace hilgate::test {
namespace {

using Words = InPlaceOf;
using wire::native::End;
using wire::native::Message;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kEndless = std::numeric_limits<double>::infinity();

// Says hello, and answers each question with these words.
HostileSimulator::Ways saying(native::Role role, std::function<void(End&)> words) {
  return {.greeting = hello_of(role), .answer = [words = std::move(words)](StreamPeer& peer, const auto& begin) {
            Message message;
            message.mutable_end()->set_window(begin.window());
            words(*message.mutable_end());
            peer.send(framed(message));
          }};
}

void expect_world_is_bounded(const GatewayStatus& status) {
  for (const auto& position : status.positions) {
    for (const double metres : position) {
      EXPECT_LE(std::abs(metres), 1e7);
    }
  }
}

TEST_F(Words, InvalidPositions) {
  const auto words = saying(native::Role::kPhysics, [](End& end) {
    for (const double metres : {kNone, kEndless, -kEndless, 1.7e308}) {
      auto& pose = *end.mutable_scene()->add_robots();
      pose.set_x(metres);
      pose.set_qw(metres);
    }
  });
  const std::string measured = in_place_of(Side::kPhysics, words, {.told = "robot 0 has a pose", .questions = 10});
  expect_world_is_bounded(gateway().status());
  conclude_windows({"The physics simulator answers with positions of NaN, infinity and 1.7e308 m",
                    "Refused by name; robots stay in the world", measured},
                   {Side::kNetsim});
}

TEST_F(Words, ThousandsOfRobots) {
  const auto words = saying(native::Role::kPhysics, [](End& end) {
    for (int n = 0; n < 5000; ++n) {
      end.mutable_scene()->add_robots()->set_x(n);
    }
  });
  const std::string measured =
      in_place_of(Side::kPhysics, words, {.told = "says where 5000 robots are", .questions = 10});
  conclude_windows(
      {"The physics simulator answers with 5000 robots for four", "The first four are taken; named", measured},
      {Side::kNetsim});
}

TEST_F(Words, MoreRobotsThanALimit) {
  const auto words = saying(native::Role::kPhysics, [](End& end) {
    for (int n = 0; n < 300'000; ++n) {
      end.mutable_scene()->add_robots();
    }
  });
  const std::string measured = in_place_of(Side::kPhysics, words, {.told = "bomb", .questions = 3});
  conclude_windows(
      {"The physics simulator answers with 300 000 robots for four", "Refused by name before it is parsed", measured},
      {Side::kNetsim});
}

TEST_F(Words, LinesOfSightOfUnknownRobots) {
  const auto words = saying(native::Role::kPhysics, [](End& end) {
    for (int n = 0; n < 4; ++n) {
      end.mutable_scene()->add_robots();
    }
    auto& sight = *end.mutable_scene()->add_sights();
    sight.set_a(4'000'000'000);
    sight.set_b(4);
    auto& path = *end.mutable_scene()->add_sights()->add_paths();
    for (int n = 0; n < 7; ++n) {
      path.add_points(kNone);
    }
  });
  const std::string measured = in_place_of(Side::kPhysics, words, {.told = "line of sight", .questions = 10});
  conclude_windows(
      {"The physics simulator answers with lines of sight of robots that are not there", "Ignored and named", measured},
      {Side::kNetsim});
}

// Links that nobody may take for states: other links stay as they are.
TEST_F(Words, InvalidLinks) {
  const auto words = saying(native::Role::kNetwork, [](End& end) {
    for (const double value : {kNone, kEndless, -1.0, 2.0}) {
      auto& link = *end.add_links();
      link.set_sender(kMallory);
      link.set_receiver(kGreen);
      link.set_ber(value);
      link.set_snr_db(static_cast<float>(value));
      link.set_delay_ns(std::numeric_limits<std::int64_t>::max());
      link.set_mode(4'000'000'000);
    }
  });
  const std::string measured = in_place_of(Side::kNetsim, words, {.told = "bad_value", .questions = 10});
  conclude_windows({"The network simulator answers with bit error rates and powers of NaN, infinity, -1 and 2",
                    "Refused by name; other links stay as they are", measured},
                   {Side::kPhysics});
}

TEST_F(Words, LinksOfUnknownRobots) {
  const auto words = saying(native::Role::kNetwork, [](End& end) {
    for (const std::uint32_t robot : {4U, 4'000'000'000U}) {
      end.add_links()->set_sender(robot);
      end.add_links()->set_receiver(robot);
    }
  });
  const std::string measured = in_place_of(Side::kNetsim, words, {.told = "bad_value", .questions = 10});
  conclude_windows(
      {"The network simulator answers with links of robots that are not there", "Ignored and named", measured},
      {Side::kPhysics});
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
