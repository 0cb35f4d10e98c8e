// SPDX-License-Identifier: Apache-2.0
// Antennas on robots that turn, as the embedded netsim has them.
#include "netsim_link/embedded/antennas.h"

#include <gtest/gtest.h>

#include <cmath>

#include "netsim_link/embedded/embedded_netsim.h"
#include "physics_link/place.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate::test {
namespace {

constexpr double kRight = M_PI / 2;
constexpr Vec3 kHere{0, 0, 10};

std::shared_ptr<const RadioProfile> radio(const AntennaPattern& antenna) {
  RadioProfile profile = load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11n_2g4_adhoc.yaml");
  profile.channel.shadowing = {};
  profile.phy.antenna = antenna;
  return std::make_shared<const RadioProfile>(profile);
}

Pose turned(const Vec3& at, const Quaternion& orientation) {
  return {at, orientation, true};
}

const SectorPattern kSector{.peak = {8}, .width = {kRight}, .height = {kRight}, .front_to_back = {25}};

class Link {
 public:
  explicit Link(const AntennaPattern& antenna, const std::vector<AntennaMount>& mounts = {})
      : netsim_({radio(antenna), radio(IsotropicPattern{})}, {}, 1, nullptr, {}, mounts) {}

  /// Red is posed; blue is 100 m off along x.
  double snr(const Pose& red) {
    Scene scene;
    scene.robots = {red, turned({100, 0, 10}, {})};
    scene.sights.resize(1);
    LinkTable table;
    netsim_.link_states(scene, table);
    EXPECT_NEAR(table.links[1].snr_db, table.links[2].snr_db, 1e-4) << "an antenna hears as it sends";
    return table.links[1].snr_db;
  }
  [[nodiscard]] std::vector<RobotIndex> unoriented() const { return netsim_.unoriented(); }

 private:
  EmbeddedNetsim netsim_;
};

const double kPlain = Link(IsotropicPattern{}).snr(turned(kHere, {}));

TEST(Antennas, ARobotThatTurnsPointsItsSectorElsewhere) {
  Link link(kSector);
  EXPECT_NEAR(link.snr(turned(kHere, {})) - kPlain, 8, 1e-3);
  EXPECT_NEAR(link.snr(turned(kHere, from_rpy(0, 0, kRight / 2))) - kPlain, 5, 1e-3);
  EXPECT_NEAR(link.snr(turned(kHere, from_rpy(0, 0, -kRight / 2))) - kPlain, 5, 1e-3);
  EXPECT_NEAR(link.snr(turned(kHere, from_rpy(0, 0, M_PI))) - kPlain, 8 - 25, 1e-3) << "front to back";
  EXPECT_NEAR(link.snr(turned(kHere, from_rpy(M_PI, 0, 0))) - kPlain, 8, 1e-3) << "a roll does not turn it away";
}

TEST(Antennas, AVehicleThatPitchesTipsItsDipole) {
  Link link(DipolePattern{});
  EXPECT_NEAR(link.snr(turned(kHere, {})) - kPlain, 2.156, 1e-2);
  EXPECT_NEAR(link.snr(turned(kHere, from_rpy(0, M_PI / 6, 0))) - kPlain, 0.395, 1e-2);
  EXPECT_NEAR(link.snr(turned(kHere, from_rpy(0, kRight, 0))) - kPlain, kLeastGain.value, 1e-2);
  EXPECT_NEAR(link.snr(turned(kHere, from_rpy(kRight, 0, 0))) - kPlain, 2.156, 1e-2) << "abeam still";
}

TEST(Antennas, TheBodyShadowsAHemisphereThatTurnsWithTheRobot) {
  const AntennaMount belly{.body_loss = {.lower = {1}, .upper = {12}}};
  Link link(IsotropicPattern{}, {belly, {}});
  EXPECT_NEAR(link.snr(turned(kHere, {})) - kPlain, -6.5, 1e-3) << "on the horizon";
  EXPECT_NEAR(link.snr(turned(kHere, from_rpy(0, M_PI / 6, 0))) - kPlain, -12, 1e-3) << "nose down: the other is above";
  EXPECT_NEAR(link.snr(turned(kHere, from_rpy(0, -M_PI / 6, 0))) - kPlain, -1, 1e-3) << "nose up";
  EXPECT_NEAR(link.snr(turned(kHere, from_rpy(M_PI / 6, 0, 0))) - kPlain, -6.5, 1e-3) << "rolled about the line";
  const Quaternion abeam = from_rpy(M_PI / 6, 0, kRight);  // the other is to the right
  EXPECT_NEAR(link.snr(turned(kHere, abeam)) - kPlain, -12, 1e-3) << "right wing down";
  const double half = std::asin(std::sin(kBodyEdge) / 2);
  EXPECT_NEAR(link.snr(turned(kHere, from_rpy(0, half, 0))) - kPlain, -(1 + 0.75 * 11), 1e-3);
  EXPECT_NEAR(Link(IsotropicPattern{}, {{.rotation = from_rpy(0, M_PI / 3, 0), .body_loss = {.upper = {12}}}, {}})
                      .snr(turned(kHere, {})) -
                  kPlain,
              -6, 1e-3)
      << "however the antenna is mounted";
  EXPECT_TRUE(link.unoriented().empty());
  EXPECT_NEAR(link.snr({kHere, {}, false}) - kPlain, 0, 1e-3);
  EXPECT_EQ(link.unoriented(), std::vector{RobotIndex{0}});
}

TEST(Antennas, TheMountingTurnsAndMovesThem) {
  const AntennaMount backwards{.offset = {}, .rotation = from_rpy(0, 0, M_PI)};
  EXPECT_NEAR(Link(kSector, {backwards, {}}).snr(turned(kHere, from_rpy(0, 0, M_PI))) - kPlain, 8, 1e-3);
  const AntennaMount bow{.offset = {50, 0, 0}, .rotation = {}};
  Link moved(IsotropicPattern{}, {bow, {}});
  const double towards = moved.snr(turned(kHere, {}));
  const double away = moved.snr(turned(kHere, from_rpy(0, 0, M_PI)));
  Link plain(IsotropicPattern{});
  EXPECT_NEAR(towards, plain.snr(turned({50, 0, 10}, {})), 1e-3);
  EXPECT_NEAR(away, plain.snr(turned({-50, 0, 10}, {})), 1e-3) << "it goes round with the robot";
}

TEST(Antennas, CountAsIsotropicWithoutAttitude) {
  Link link(kSector);
  EXPECT_NEAR(link.snr({.position = kHere, .orientation = {}}) - kPlain, 0, 1e-4);
  EXPECT_EQ(link.unoriented(), std::vector{RobotIndex{0}});
  link.snr(turned(kHere, {}));
  EXPECT_TRUE(link.unoriented().empty());
  EXPECT_TRUE(Link(IsotropicPattern{}).unoriented().empty());
}

TEST(Antennas, AnUnlengthyQuaternionIsOneAllTheSame) {
  Link link(kSector);
  const Quaternion half = from_rpy(0, 0, kRight / 2);
  EXPECT_NEAR(link.snr(turned(kHere, {3 * half.w, 0, 0, 3 * half.z})) - kPlain, 5, 1e-3);
}

}  // namespace
}  // namespace hilgate::test
