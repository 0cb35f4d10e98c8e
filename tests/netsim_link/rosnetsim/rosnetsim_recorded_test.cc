// SPDX-License-Identifier: Apache-2.0
// What ROS-NetSim's own programs (e957c18) said to each other: its coordinator, its dummy simulators and a ping, as
// whole frames. Our end of each side takes the place of theirs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "netsim_link/rosnetsim/rosnetsim_network_codec.h"
#include "physics_link/connection/framing.h"
#include "physics_link/rosnetsim/rosnetsim_physics_codec.h"
#include "tests/hex.h"
#include "tests/netsim_link/recorded_body.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t kFirst = 0xC0A80001;
constexpr std::uint32_t kSecond = 0xC0A80002;
constexpr std::uint64_t kRecorded = 2002;

constexpr std::string_view kPhysicsBegin = "000000141f8b08000b18036b02ff03000000000000000000";
constexpr std::string_view kPhysicsEnd =
    "000000ad1f8b08000b18036b02ff01960069ff08011a91011f8b08000b18036b02ff017a0085ff0a70bf5e71072fc01f40e23191a272dc2f"
    "40cca808c6398026409a336030ff55d53f227696a688c7d1bf020669ebcbdceb3ffa6d9258c89fcdbff8755ef274262140ca047945ea9505"
    "408681b63498112c40a674acddca0dc13fa4d7a31df7a5d63f1c3447641b45d93fccc3a0aa62cbea3f12060a0202011001e4b4c2f57a0000"
    "002dc2788c96000000";
// A ping's answer, packet 3 from 192.168.0.2 to 192.168.0.1.
constexpr std::string_view kNetworkBegin =
    "000000c01f8b08001118036b02ff01a90056ff10d20f1a010322040200a8c02a040100a8c03201544a91011f8b08001118036b02ff017a00"
    "85ff0a7050d581f80f80e13f6c18c974b7e2294034b6d19a8d3d304093a20a0c47c5e03f9d58581c24cee03f7e3f41e22e19e1bf8dfb467a"
    "ceebd9bf0ec31111c89b0b4030f06a69af202f40bb916e2c73aa2940806b5187e5c8d0bfc636154249e8e5bffbc4604564bce5bf817bdc2d"
    "1c6ca1bf12060a0202011001ccfd37a47a000000a40b3ef9a9000000";
constexpr std::string_view kNetworkEnd =
    "000000341f8b08001218036b02ffe36014b8c42fc5c8acc4c2c4b0e280160b2390b402934e1c53afa9bde0d613b40300d336471324000000";

std::string plain_of(std::string_view body) {
  Gzip gzip;
  std::string text;
  EXPECT_FALSE(gzip.unpack(body, text));
  return text;
}

rosnetsim::NetworkUpdate update_of(std::string_view body) {
  rosnetsim::NetworkUpdate update;
  EXPECT_FALSE(rosnetsim::decode(plain_of(body), update));
  return update;
}

Step recorded_step(std::uint64_t number) {
  return {
      .window = number, .number = number, .from = SimTime{10ms * static_cast<std::int64_t>(number)}, .length = 10ms};
}

TEST(RosNetSimRecorded, OurCoordinatorSendsTheirCoordinatorsBytes) {
  RosNetSimNetworkCodec codec({.robot_ips = {kFirst, kSecond}});
  const PeerPayload channels{.form = PeerPayload::Form::kRosNetSimChannels,
                             .bytes = update_of(recorded_body(kNetworkBegin)).channel_data};
  std::vector<CapturedPacket> packets(1);
  packets[0] = {
      .id = 3, .sender = RobotIndex{1}, .receiver = RobotIndex{0}, .length = 98, .src_ip = kSecond, .dst_ip = kFirst};
  std::string body;
  codec.encode_begin({.step = recorded_step(kRecorded), .packets = packets, .payload = &channels, .fresh = true}, body);
  EXPECT_EQ(to_hex(plain_of(body)), to_hex(plain_of(recorded_body(kNetworkBegin))));

  NetworkAnswer answer;
  EXPECT_FALSE(codec.decode_end(recorded_body(kNetworkEnd), answer));
  EXPECT_THAT(answer.verdicts, ElementsAre(Verdict{.packet = 3,
                                                   .receiver = RobotIndex{0},
                                                   .release_at = recorded_step(kRecorded).end(),
                                                   .ber = 1e-9,
                                                   .at_once = true}));
  EXPECT_THAT(answer.forget, IsEmpty()) << "their dummy clears nothing";
}

TEST(RosNetSimRecorded, OurSimulatorUnderstandsTheirCoordinator) {
  RosNetSimNetworkCodec codec({.robot_ips = {kFirst, kSecond}, .extensions = true, .window = 10ms});
  ReceivedNetworkQuestion question;
  ASSERT_FALSE(codec.decode_begin(recorded_body(kNetworkBegin), question));
  EXPECT_EQ(question.step.number, kRecorded);
  EXPECT_TRUE(question.has_scene);
  EXPECT_EQ(question.scene.robots.size(), 2U);
  ASSERT_EQ(question.packets.size(), 1U);
  EXPECT_EQ(question.packets[0].id, 3U);
  EXPECT_EQ(question.packets[0].sender, RobotIndex{1});
  EXPECT_EQ(question.packets[0].receiver, RobotIndex{0});
  EXPECT_EQ(question.packets[0].length, 98U);

  NetworkAnswer answer;
  answer.verdicts = {{.packet = 3, .receiver = RobotIndex{0}, .release_at = question.packets[0].captured, .ber = 1e-9}};
  std::string body;
  codec.encode_end(answer, body);
  EXPECT_EQ(to_hex(plain_of(body)), to_hex(plain_of(recorded_body(kNetworkEnd)))) << "as their dummy, to the byte";
}

TEST(RosNetSimRecorded, PhysicsOnBothSides) {
  RosNetSimPhysicsCodec coordinator({.robots = 2});
  std::string body;
  coordinator.encode_begin({.step = recorded_step(0)}, body);
  EXPECT_EQ(plain_of(body), plain_of(recorded_body(kPhysicsBegin)));
  PhysicsAnswer answer;
  EXPECT_FALSE(coordinator.decode_end(recorded_body(kPhysicsEnd), answer));
  ASSERT_TRUE(answer.has_scene);
  EXPECT_EQ(answer.scene.robots.size(), 2U);
  EXPECT_FALSE(answer.payload.bytes.empty()) << "goes on to the network simulator untouched";

  RosNetSimPhysicsCodec simulator({.robots = 2, .window = 10ms});
  ReceivedPhysicsQuestion question;
  ASSERT_FALSE(simulator.decode_begin(recorded_body(kPhysicsBegin), question));
  EXPECT_EQ(question.step.number, 0U);
}

}  // namespace
}  // namespace hilgate::test
