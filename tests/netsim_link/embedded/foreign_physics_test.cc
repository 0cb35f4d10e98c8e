// SPDX-License-Identifier: Apache-2.0
// The air behind foreign physics: what a simulator says over its protocol gives the radios that which the embedded
// trajectory gives them at the same positions.
#include <gtest/gtest.h>

#include "netsim_link/embedded/embedded_netsim.h"
#include "physics_link/dancers/dancers_physics_codec.h"
#include "physics_link/native/native_protocol.h"
#include "physics_link/obstacles.h"
#include "physics_link/rosnetsim/rosnetsim_physics.h"
#include "physics_link/trajectory/trajectory_physics.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate::test {
namespace {

struct Situation {
  double distance_m;
  bool blocked;
};

/// Blocked: a house between two robots.
std::vector<Obstacle> obstacles_of(const Situation& situation) {
  const double middle = situation.distance_m / 2;
  if (!situation.blocked) {
    return {};
  }
  return {{{{middle - 1, -50, 0}, {middle + 1, 50, 30}}, 0, std::nullopt}};
}

/// As the embedded trajectory sees them.
Scene trajectory_scene(const Situation& situation) {
  TrajectoryPhysics physics({{{SimTime{}, {0, 0, 2}}}, {{SimTime{}, {situation.distance_m, 0, 2}}}},
                            obstacles_of(situation));
  Scene scene;
  physics.scene_at(SimTime{}, scene);
  return scene;
}

/// 3GPP's urban model, which asks for line of sight: no protocol says what a wall is made of.
LinkState state_in(const Scene& scene) {
  RadioProfile profile = load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11n_2g4_adhoc.yaml");
  profile.channel.shadowing = {};
  profile.channel.path_loss = TgppUmi{};
  const auto shared = std::make_shared<const RadioProfile>(profile);
  EmbeddedNetsim netsim({shared, shared}, {builtin_material("building").value()}, 1);
  LinkTable table;
  netsim.link_states(scene, table);
  return table.links[1];
}

class ForeignPhysics : public ::testing::TestWithParam<Situation> {
 protected:
  void expect_the_same(const Scene& one, const Scene& other) {
    const LinkState a = state_in(one);
    const LinkState b = state_in(other);
    EXPECT_NEAR(a.rssi_dbm, b.rssi_dbm, 1e-4);
    EXPECT_EQ(a.line_of_sight, b.line_of_sight);
    EXPECT_EQ(a.reachable, b.reachable);
    EXPECT_EQ(a.unicast_mode, b.unicast_mode);
    EXPECT_EQ(a.delay, b.delay);
  }
};

TEST_P(ForeignPhysics, OverRosNetSimsProtocol) {
  Scene scene = trajectory_scene(GetParam());
  std::string plain;
  rosnetsim::encode_channels(scene, plain);
  for (const auto rule : {rosnetsim::SightRule::kLosField, rosnetsim::SightRule::kTwoHops}) {
    Scene received;
    ASSERT_FALSE(rosnetsim::decode_channels(plain, 2, rule, received));
    scene.sights[0].walls.clear();
    expect_the_same(scene, received);
  }
}

TEST_P(ForeignPhysics, OverTheNativeProtocol) {
  Scene scene = trajectory_scene(GetParam());
  std::string body;
  native::encode_physics_end(1, &scene, body);
  native::PhysicsEnd end;
  Scene received;
  ASSERT_FALSE(native::decode(body, 2, end, received));
  scene.sights[0].walls.clear();  // materials are the gateway's own: foreign physics says sight alone
  expect_the_same(scene, received);
}

// A connector of DANCERS as physics: what it answers goes over the wire and back.
class DancersAnswers final : public PhysicsSimulator {
 public:
  explicit DancersAnswers(Scene scene) : scene_(std::move(scene)) {}
  void open(Listener listener) override { listener_ = std::move(listener); }
  void begin(const PhysicsQuestion& question) override {
    std::string body;
    DancersPhysicsCodec gateway({.robots = 2});
    gateway.encode_begin(question, body);
    DancersPhysicsCodec connector({.robots = 2, .step = question.step.length});
    ReceivedPhysicsQuestion received;
    ASSERT_FALSE(connector.decode_begin(body, received));
    connector.encode_end({.has_scene = true, .scene = scene_}, body);
    PhysicsAnswer answer;
    ASSERT_FALSE(gateway.decode_end(body, answer));
    listener_.ended(answer);
  }
  void close() override {}

 private:
  Scene scene_;
  Listener listener_;
};

// Its protocol has places alone: what stands between them says the gateway's configuration.
TEST_P(ForeignPhysics, OverDancersProtocol) {
  const Scene scene = trajectory_scene(GetParam());
  ObstructedPhysics physics(std::make_unique<DancersAnswers>(scene), obstacles_of(GetParam()));
  Scene received;
  physics.open({.ready = [] {},
                .ended = [&received](PhysicsAnswer& answer) { received = answer.scene; },
                .failed = [](const std::string&) {}});
  physics.begin({.step = {.length = std::chrono::milliseconds(1)}});
  ASSERT_EQ(received.robots.size(), 2U);
  expect_the_same(scene, received);
}

INSTANTIATE_TEST_SUITE_P(Distances, ForeignPhysics,
                         ::testing::Values(Situation{10, false}, Situation{100, false}, Situation{1000, false},
                                           Situation{10'000, false}, Situation{10, true}, Situation{100, true},
                                           Situation{1000, true}, Situation{10'000, true}),
                         [](const auto& one) {
                           return std::to_string(static_cast<int>(one.param.distance_m)) + "m" +
                                  (one.param.blocked ? "Blocked" : "InSight");
                         });

}  // namespace
}  // namespace hilgate::test
