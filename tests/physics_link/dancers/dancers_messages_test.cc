// SPDX-License-Identifier: Apache-2.0
// The byte strings are in README.md beside this file.
#include "physics_link/dancers/dancers_protocol.h"

#include <gtest/gtest.h>

#include "tests/hex.h"

namespace hilgate::dancers {
namespace {

using test::from_hex;
using test::to_hex;

std::string plain_of(const Update& update, Version version) {
  Gzip gzip;
  std::string body;
  encode(update, version, gzip, body);
  std::string plain;
  EXPECT_FALSE(gzip.unpack(body, plain));
  return to_hex(plain);
}

TEST(Dancers, WritesTheGoldenUpdates) {
  EXPECT_EQ(plain_of({.kind = Kind::kEnd, .payload = {}}, Version::kV1), "0801");
  EXPECT_EQ(plain_of({.kind = Kind::kClose, .payload = {}}, Version::kV1), "0802");
}

TEST(Dancers, AnEmptyBeginIsNothingInV1AndAGzipMemberBefore) {
  Gzip gzip;
  std::string body;
  encode({}, Version::kV1, gzip, body);
  EXPECT_EQ(body, "");
  encode({}, Version::kLegacy, gzip, body);
  EXPECT_EQ(body.size(), 20U);
  EXPECT_EQ(plain_of({}, Version::kLegacy), "");
}

TEST(Dancers, ReadsBothKindsOfEmptyBegin) {
  Gzip gzip;
  Update update{.kind = Kind::kEnd, .payload = "old"};
  ASSERT_FALSE(decode("", gzip, update));
  EXPECT_EQ(update.kind, Kind::kBegin);
  EXPECT_EQ(update.payload, "");
  update.kind = Kind::kEnd;
  std::string body;
  gzip.pack("", body);
  ASSERT_FALSE(decode(body, gzip, update));
  EXPECT_EQ(update.kind, Kind::kBegin);
}

TEST(Dancers, PayloadRoundTrips) {
  Gzip gzip;
  std::string body;
  encode({.kind = Kind::kEnd, .payload = "poses"}, Version::kV1, gzip, body);
  Update update;
  ASSERT_FALSE(decode(body, gzip, update));
  EXPECT_EQ(update.kind, Kind::kEnd);
  EXPECT_EQ(update.payload, "poses");
}

// Before v1.0: type, time, then the words of physics in 3 and of the network in 4.
TEST(Dancers, WritesAndReadsTheUpdatesOf2024) {
  const Update physics{.kind = Kind::kEnd, .payload = "p", .time_ns = 300};
  EXPECT_EQ(plain_of(physics, Version::kTimed), "080110ac021a0170");
  const Update network{.kind = Kind::kBegin, .payload = "n", .of_network = true, .time_ns = 300};
  EXPECT_EQ(plain_of(network, Version::kTimed), "10ac0222016e");
  for (const Update& written : {physics, network}) {
    Gzip gzip;
    std::string body;
    encode(written, Version::kTimed, gzip, body);
    Update update;
    ASSERT_FALSE(decode(body, gzip, update));
    EXPECT_EQ(update.kind, written.kind);
    EXPECT_EQ(update.payload, written.payload);
  }
  EXPECT_EQ(low_time(SimTime{std::chrono::seconds(5)}), 705'032'704U) << "5 s do not fit into 32 bits";
}

TEST(Dancers, AgentsWithoutNumbersComeInTheirOrder) {
  std::vector<AgentPose> agents;
  ASSERT_FALSE(decode_poses(from_hex("0a09090000000000000040"
                                     "0a09090000000000000840"),
                            agents));
  ASSERT_EQ(agents.size(), 2U);
  EXPECT_EQ(agents[0].agent, 0U);
  EXPECT_EQ(agents[1].agent, 1U);
  EXPECT_EQ(agents[1].pose.position.x, 3);
}

constexpr std::string_view kPoses =
    "0a2609000000000000f03f11000000000000004019000000000000084041000000000000e03f58040a00";

TEST(Dancers, WritesAndReadsTheGoldenPoses) {
  AgentPose four{.agent = 4, .pose = {.position = {1, 2, 3}, .orientation = {.w = 0}}, .velocity = {.x = 0.5}};
  AgentPose zero{.agent = 0, .pose = {.position = {}, .orientation = {.w = 0}}, .velocity = {}};
  std::string plain;
  encode_poses({four, zero}, plain);
  EXPECT_EQ(to_hex(plain), kPoses);
  std::vector<AgentPose> agents;
  ASSERT_FALSE(decode_poses(from_hex(kPoses), agents));
  EXPECT_EQ(agents, (std::vector<AgentPose>{four, zero}));
}

TEST(Dancers, PlacesTheAgentsItKnows) {
  Scene scene;
  scene.robots.resize(2);
  std::vector<AgentPose> agents(2);
  agents[0] = {.agent = 1, .pose = {.position = {1, 2, 3}, .orientation = {.w = 0}}, .velocity = {}};
  agents[1] = {.agent = 2, .pose = {}, .velocity = {}};
  const MaybeFault fault = place(agents, scene);
  EXPECT_EQ(scene.robots[1].position, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.robots[1].orientation, Quaternion{}) << "zeros mean that none was sent";
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->detail, "agent 2 at (0, 0, 0); agents are 0..1");
}

TEST(Dancers, ACloseIsAGoodbyeAndNothingElse) {
  using ControlMessage = SessionProtocol::ControlMessage;
  Gzip gzip;
  std::string body;
  EXPECT_EQ(read_control(body, gzip), ControlMessage::kNone);
  encode({.kind = Kind::kClose}, Version::kV1, gzip, body);
  EXPECT_EQ(read_control(body, gzip), ControlMessage::kGoodbye);
  encode({.kind = Kind::kEnd}, Version::kV1, gzip, body);
  EXPECT_EQ(read_control(body, gzip), ControlMessage::kNone);
}

TEST(Dancers, GarbageIsAFault) {
  Gzip gzip;
  Update update;
  EXPECT_EQ(decode("garbage", gzip, update)->error, ProtocolError::kBadGzip);
  std::string body;
  gzip.pack(from_hex("1205aa"), body);
  EXPECT_EQ(decode(body, gzip, update)->error, ProtocolError::kBadMessage);
  body.clear();
  gzip.pack(from_hex("0809"), body);
  EXPECT_EQ(decode(body, gzip, update)->detail, "DancersUpdate of unknown type 9; known: 0, 1, 2");
  std::vector<AgentPose> agents;
  EXPECT_TRUE(decode_poses(from_hex("0a26aa"), agents));
}

}  // namespace
}  // namespace hilgate::dancers
