// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/native/native_network_codec.h"

#include <cmath>

#include <gtest/gtest.h>

namespace hilgate::native {
namespace {

using namespace std::chrono_literals;

TEST(NativeNetwork, BeginCarriesPacketsAndScene) {
  Scene scene;
  scene.robots.resize(2);
  scene.robots[1].position = {7, 8, 9};
  scene.sights.resize(1);
  scene.sights[0].line_of_sight = false;
  scene.sights[0].walls = {{.material = 3, .thickness_m = 0.2, .incidence_rad = 0.5}};
  std::vector<CapturedPacket> packets(2);
  packets[0] = {.id = 1ULL << 33,
                .captured = SimTime{1500001ns},
                .sender = RobotIndex{1},
                .receiver = RobotIndex{0},
                .length = 98,
                .src_ip = 0x0A4D0002,
                .dst_ip = 0x0A4D0001,
                .traffic_class = 0xB8};
  packets[1].id = 2;
  std::string body;
  encode(NetworkBegin{.window = 4, .start = SimTime{4ms}, .length = 1ms}, &scene, packets, body);
  NetworkBegin begin;
  bool has_scene = false;
  Scene back;
  std::vector<CapturedPacket> got;
  ASSERT_FALSE(decode(body, 2, begin, has_scene, back, got));
  EXPECT_EQ(begin.window, 4U);
  EXPECT_EQ(begin.start, SimTime{4ms});
  EXPECT_TRUE(has_scene);
  EXPECT_EQ(back.robots[1].position, (Vec3{7, 8, 9}));
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[0].id, 1ULL << 33);
  EXPECT_EQ(got[0].captured, SimTime{1500001ns});
  EXPECT_EQ(got[0].receiver, RobotIndex{0});
  EXPECT_EQ(got[0].traffic_class, 0xB8);
  EXPECT_FALSE(got[1].receiver) << "broadcast";
  ASSERT_EQ(back.sights[0].walls.size(), 1U);
  EXPECT_EQ(back.sights[0].walls[0].material, 3U);
  EXPECT_EQ(back.sights[0].walls[0].incidence_rad, 0.5);
}

TEST(NativeNetwork, EndCarriesVerdictsForgetsAndLinks) {
  NetworkEnd end{.window = 4, .verdicts = {}, .forget = {7, 8}, .links = {}};
  end.verdicts.push_back({.packet = 1, .receiver = RobotIndex{1}, .release_at = SimTime{9ms}, .ber = 1e-5});
  end.verdicts.push_back({.packet = 2,
                          .receiver = RobotIndex{0},
                          .release_at = SimTime{},
                          .ber = 0,
                          .drop = AirDrop::kCollision,
                          .retries = 6});
  LinkState state;
  state.unicast = {-std::log1p(-1e-6)};
  state.delay = 20us;
  end.links.push_back({.sender = RobotIndex{0}, .receiver = RobotIndex{1}, .state = state});
  std::string body;
  encode(end, body);
  NetworkEnd back;
  ASSERT_FALSE(decode(body, 2, back));
  EXPECT_EQ(back.window, 4U);
  EXPECT_EQ(back.verdicts, end.verdicts);
  EXPECT_EQ(back.forget, end.forget);
  ASSERT_EQ(back.links.size(), 1U);
  EXPECT_NEAR(back.links[0].state.unicast.per_bit, 1e-6, 1e-12);
  EXPECT_EQ(back.links[0].state.delay, 20us);
  EXPECT_TRUE(back.links[0].state.reachable);
}

TEST(NativeNetwork, RobotsAndRatesOutOfRangeAreLeftOut) {
  NetworkEnd end;
  end.verdicts.resize(1);
  end.verdicts[0].receiver = RobotIndex{2};
  std::string body;
  encode(end, body);
  NetworkEnd back;
  EXPECT_EQ(decode(body, 2, back)->detail, "verdict for robot 2; robots are 0..1");
  EXPECT_TRUE(back.verdicts.empty());
  end.verdicts.clear();
  end.links.resize(1);
  end.links[0].state.unicast = {std::nan("")};
  encode(end, body);
  const MaybeFault fault = decode(body, 2, back);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->error, ProtocolError::kBadValue);
  EXPECT_TRUE(back.links.empty());
}

}  // namespace
}  // namespace hilgate::native
