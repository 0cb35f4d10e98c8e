// SPDX-License-Identifier: Apache-2.0
// What DANCERS' own programs (v1.0, 8130464) said to each other: its coordinator, mini_dancers with two robots, and its
// empty network connector, as whole frames. Our end of each side takes the place of theirs. tests/physics_link/dancers/
// README.md says how they were recorded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "netsim_link/dancers/dancers_network_codec.h"
#include "physics_link/connection/framing.h"
#include "physics_link/dancers/dancers_physics_codec.h"
#include "tests/hex.h"
#include "tests/netsim_link/recorded_body.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

constexpr std::string_view kDancersBegin = "00000000";
constexpr std::string_view kDancersPhysicsEnd =
    "0000003a1f8b08000000000000ffe360145293efe6600083ff8f1f4d4961601664d71374e4b87c84514fec2007835a65839e225012002aa9"
    "fc5d2a000000";
constexpr std::string_view kDancersNetworkBegin =
    "000000381f8b08000000000000ff135293efe6600083ff8f1f4d4961601664d71374e4b87c84514fec2007835a65839e2250120076"
    "18f3b128000000";
constexpr std::string_view kDancersNetworkEnd = "000000161f8b08000000000000ffe360040061a807fe02000000";
constexpr std::string_view kDancersClose = "000000161f8b08000000000000ffe3600200dbf90e6702000000";

// What is in it: their zlib and ours may pack differently.
std::string dancers_plain(std::string_view body) {
  Gzip gzip;
  std::string text;
  if (!body.empty()) {
    EXPECT_FALSE(gzip.unpack(body, text));
  }
  return to_hex(text);
}

Step dancers_step(std::uint64_t number) {
  return {
      .window = number, .number = number, .from = SimTime{10ms * static_cast<std::int64_t>(number)}, .length = 10ms};
}

constexpr DancersOptions kTwoAgents{.robots = 2, .step = 10ms};

TEST(DancersRecorded, OurCoordinatorReceivesTheirPhysics) {
  DancersPhysicsCodec codec(kTwoAgents);
  std::string body;
  codec.encode_begin({.step = dancers_step(0)}, body);
  EXPECT_EQ(to_hex(body), to_hex(recorded_body(kDancersBegin))) << "as theirs, to the byte";

  PhysicsAnswer answer;
  ASSERT_FALSE(codec.decode_end(recorded_body(kDancersPhysicsEnd), answer));
  ASSERT_TRUE(answer.has_scene);
  ASSERT_EQ(answer.scene.robots.size(), 2U);
  EXPECT_EQ(answer.scene.robots[0].position, (Vec3{0, 0, 5})) << "zeros are not on their wire";
  EXPECT_EQ(answer.scene.robots[1].position, (Vec3{0, 20, 5}));
}

TEST(DancersRecorded, OurCoordinatorSendsTheirCoordinatorsBytes) {
  DancersPhysicsCodec physics(kTwoAgents);
  std::string body;
  physics.encode_begin({.step = dancers_step(0)}, body);
  PhysicsAnswer answer;
  ASSERT_FALSE(physics.decode_end(recorded_body(kDancersPhysicsEnd), answer));

  DancersNetworkCodec network(kTwoAgents);
  network.encode_begin({.step = dancers_step(0)}, body);
  EXPECT_EQ(to_hex(body), to_hex(recorded_body(kDancersBegin)));
  network.encode_begin({.step = dancers_step(1), .payload = &answer.payload, .fresh = true}, body);
  EXPECT_EQ(dancers_plain(body), dancers_plain(recorded_body(kDancersNetworkBegin)))
      << "the words of physics untouched, as theirs";

  NetworkAnswer links;
  ASSERT_FALSE(network.decode_end(recorded_body(kDancersNetworkEnd), links));
  EXPECT_THAT(links.payload.bytes, IsEmpty());
  ASSERT_TRUE(network.goodbye(body));
  EXPECT_EQ(dancers_plain(body), dancers_plain(recorded_body(kDancersClose)));
}

TEST(DancersRecorded, OurConnectorsUnderstandTheirCoordinator) {
  DancersPhysicsCodec physics(kTwoAgents);
  ReceivedPhysicsQuestion asked;
  ASSERT_FALSE(physics.decode_begin(recorded_body(kDancersBegin), asked));
  EXPECT_THAT(asked.from_network.bytes, IsEmpty());

  DancersNetworkCodec network(kTwoAgents);
  ReceivedNetworkQuestion question;
  ASSERT_FALSE(network.decode_begin(recorded_body(kDancersBegin), question));
  EXPECT_FALSE(question.has_scene);
  ASSERT_FALSE(network.decode_begin(recorded_body(kDancersNetworkBegin), question));
  EXPECT_EQ(question.step.number, 1U);
  ASSERT_TRUE(question.has_scene);
  EXPECT_EQ(question.scene.robots[1].position, (Vec3{0, 20, 5}));

  MaybeFault maybe;
  std::string why;
  EXPECT_EQ(network.control_message(recorded_body(kDancersClose), maybe, why),
            SessionProtocol::ControlMessage::kGoodbye);
}

TEST(DancersRecorded, OurConnectorsAnswerAsTheirs) {
  DancersPhysicsCodec physics(kTwoAgents);
  ReceivedPhysicsQuestion asked;
  ASSERT_FALSE(physics.decode_begin(recorded_body(kDancersBegin), asked));
  PhysicsAnswer answer;
  answer.has_scene = true;
  answer.scene.robots = {{.position = {0, 0, 5}, .orientation = {}}, {.position = {0, 20, 5}, .orientation = {}}};
  std::string body;
  physics.encode_end(answer, body);
  DancersPhysicsCodec reader(kTwoAgents);
  std::string ignored;
  reader.encode_begin({.step = dancers_step(0)}, ignored);
  PhysicsAnswer read;
  ASSERT_FALSE(reader.decode_end(body, read));
  EXPECT_EQ(read.scene.robots[1].position, (Vec3{0, 20, 5}));

  DancersNetworkCodec network(kTwoAgents);
  network.encode_end({}, body);
  EXPECT_EQ(dancers_plain(body), dancers_plain(recorded_body(kDancersNetworkEnd)));
}

}  // namespace
}  // namespace hilgate::test
