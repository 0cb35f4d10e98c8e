// SPDX-License-Identifier: Apache-2.0
// PDUs that open-dis wrote (pdus/README.md), and dead reckoning as its formulas have it.
#include "physics_link/dis/entity_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "host/byte_cursor.h"
#include "physics_link/place.h"
#include "tests/physics_link/dis/pdu_files.h"

namespace hilgate::dis::test {
namespace {

using namespace std::chrono_literals;

EntityState state_of(const Pdu& pdu) {
  return std::get<EntityState>(pdu);
}

Fault fault_of(std::span<const std::byte> datagram) {
  const std::vector<Pdu> pdus = read_datagram(datagram);
  return pdus.empty() ? Fault::kCount : std::get<Fault>(pdus.back());
}

TEST(EntityStatePdu, OfAnotherProgramIsReadAsItWroteIt) {
  const std::vector<Pdu> pdus = read_datagram(pdu_file("entity_state"));
  ASSERT_EQ(pdus.size(), 1U);
  const EntityState state = state_of(pdus[0]);
  EXPECT_EQ(state.id, (EntityId{1, 2, 7}));
  EXPECT_EQ(state.id.text(), "1:2:7");
  EXPECT_EQ(state.exercise, 1);
  EXPECT_EQ(state.timestamp, 0x08000000U);
  EXPECT_EQ(state.algorithm, 4);
  EXPECT_NEAR(state.location.x, 4277986.225197, 1e-6);
  EXPECT_NEAR(state.location.y, 831556.284941, 1e-6);
  EXPECT_NEAR(state.location.z, 4642159.719819, 1e-6);
  EXPECT_NEAR(state.velocity.x, -1.90809, 1e-5);
  EXPECT_NEAR(state.velocity.y, 9.81627, 1e-5);
  EXPECT_NEAR(state.acceleration.x, -0.381618, 1e-6);
  EXPECT_NEAR(state.angular_velocity.z, 0.1, 1e-8);
  EXPECT_NEAR(state.psi, 1.76278, 1e-5);
}

TEST(EntityStatePdu, BundlesOtherVersionsAndOtherTypes) {
  const std::vector<Pdu> bundle = read_datagram(pdu_file("bundle"));
  ASSERT_EQ(bundle.size(), 3U);
  EXPECT_EQ(state_of(bundle[1]).id.entity, 8);
  EXPECT_EQ(state_of(bundle[2]).exercise, 2);
  const EntityState articulated = state_of(read_datagram(pdu_file("articulated")).at(0));
  EXPECT_EQ(articulated.algorithm, 2);
  EXPECT_TRUE(std::holds_alternative<OtherPdu>(read_datagram(pdu_file("fire")).at(0)));
  EXPECT_TRUE(read_datagram({}).empty());
}

TEST(EntityStatePdu, WhatIsMalformedHasAReason) {
  const std::vector<std::byte> good = pdu_file("entity_state");
  for (std::size_t size = 1; size < good.size(); ++size) {
    EXPECT_EQ(fault_of(std::span(good).first(size)), size < 12 ? Fault::kHeader : Fault::kLength) << size;
  }
  std::vector<std::byte> bad = good;
  bad[0] = std::byte{4};
  EXPECT_EQ(fault_of(bad), Fault::kVersion);
  bad = good;
  store_be<std::uint16_t>(bad, 8, 11);
  EXPECT_EQ(fault_of(bad), Fault::kLength);
  bad = good;
  bad[19] = std::byte{1};  // an articulation parameter that is not there
  EXPECT_EQ(fault_of(bad), Fault::kLength);
  bad = good;
  store_be<std::uint64_t>(bad, 48, 0x7ff8000000000000);
  EXPECT_EQ(fault_of(bad), Fault::kNumbers);
  bad = good;
  store_be<std::uint32_t>(bad, 36, 0x7f800000);
  EXPECT_EQ(fault_of(bad), Fault::kNumbers) << "an infinite velocity";
  bad = good;
  bad.resize(bad.size() + 5);
  EXPECT_EQ(read_datagram(bad).size(), 2U) << "the first of the two is read";
}

TEST(EntityIds, AreThreeNumbers) {
  EXPECT_EQ(EntityId::parse("0:65535:1"), (EntityId{0, 65535, 1}));
  for (const char* text : {"", "1", "1:2", "1:2:", "1:2:3:4", "1:2:65536", "-1:2:3", "1:2:3 ", "a:b:c"}) {
    EXPECT_FALSE(EntityId::parse(text)) << text;
  }
}

TEST(DeadReckoning, MovesAndTurnsAsItsAlgorithmHasIt) {
  EntityState state{.location = {100, 200, 300},
                    .velocity = {1, 2, 3},
                    .acceleration = {0.5, 0, -0.5},
                    .angular_velocity = {0, 0, M_PI / 4}};
  const auto after_two = [&state](std::uint8_t algorithm) {
    state.algorithm = algorithm;
    return reckoned(state, 2s);
  };
  const Vec3 moved{102, 204, 306};
  const Vec3 accelerated{103, 204, 305};
  for (const auto& [algorithm, location, turns] : {std::tuple{0, state.location, false},
                                                   {1, state.location, false},
                                                   {2, moved, false},
                                                   {3, moved, true},
                                                   {4, accelerated, true},
                                                   {5, accelerated, false},
                                                   {6, state.location, false},
                                                   {9, state.location, false},
                                                   {255, state.location, false}}) {
    const WorldPose pose = after_two(static_cast<std::uint8_t>(algorithm));
    EXPECT_EQ(pose.location, location) << algorithm;
    const Vec3 forward = rotate(pose.orientation, {1, 0, 0});
    EXPECT_NEAR(forward.x, turns ? 0 : 1, 1e-12) << algorithm;
    EXPECT_NEAR(forward.y, turns ? 1 : 0, 1e-12) << algorithm << ": a quarter about z";
  }
}

}  // namespace
}  // namespace hilgate::dis::test
