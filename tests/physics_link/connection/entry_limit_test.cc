// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/entry_limit.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "physics_link/dancers/dancers_protocol.h"
#include "physics_link/native/native_protocol.h"
#include "physics_link/rosnetsim/rosnetsim_physics.h"
#include "tests/hex.h"

namespace hilgate::test {
namespace {

// Field 2 holds messages, in whose field 1 there are messages again.
constexpr std::array<EntryShape, 1> kInner = {{{.field = 1}}};
const std::array<EntryShape, 1> kShape = {{{.field = 2, .inside = kInner}}};

// `n` empty parts of a field.
std::string parts(std::size_t n, char tag) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    text += {tag, 0};
  }
  return text;
}

TEST(EntryLimit, CountsPartsAndPartsOfParts) {
  EXPECT_FALSE(check_entries(parts(5, 0x12), kShape, 5));
  EXPECT_TRUE(check_entries(parts(6, 0x12), kShape, 5));
  const std::string nested = std::string{0x12, 10} + parts(5, 0x0A);
  EXPECT_FALSE(check_entries(nested, kShape, 6));
  EXPECT_TRUE(check_entries(nested, kShape, 5));
  EXPECT_EQ(check_entries(nested, kShape, 5)->error, ProtocolError::kBomb);
}

TEST(EntryLimit, CountsNoNumbersAndNoBytesWithinBytes) {
  EXPECT_FALSE(check_entries(parts(100, 0x08), kShape, 0)) << "numbers";
  EXPECT_FALSE(check_entries(std::string{0x1A, 10} + parts(5, 0x0A), kShape, 0)) << "field 3 is bytes";
  EXPECT_FALSE(check_entries(from_hex("0d00000000090000000000000000"), kShape, 0)) << "fixed widths";
}

TEST(EntryLimit, LeavesNonsenseToTheParser) {
  for (const char* bytes : {"ff", "ffffffffffffffffffffff", "12", "12ff", "1205", "0d00", "0900"}) {
    EXPECT_FALSE(check_entries(from_hex(bytes), kShape, 5)) << bytes;
  }
}

TEST(EntryLimit, RefusesPartsHiddenFromTheCount) {
  for (const char* hidden : {"0b", "0c", "fb01", "0b0c", "92808080f001"}) {  // groups, and a tag of 36 bits
    const MaybeFault fault = check_entries(from_hex(hidden) + parts(6, 0x12), kShape, 5);
    ASSERT_TRUE(fault) << hidden;
    EXPECT_EQ(fault->error, ProtocolError::kBadMessage) << hidden;
  }
  const std::string within = std::string{0x12, 14} + from_hex("fb01fc01") + parts(5, 0x0A);
  EXPECT_TRUE(check_entries(within, kShape, 5)) << "in a part, too";
}

TEST(EntryLimit, HoldsForEveryMessageThatHasParts) {
  std::vector<dancers::AgentPose> agents;
  const MaybeFault poses = dancers::decode_poses(parts(kMostEntries + 1, 0x0A), agents);
  ASSERT_TRUE(poses);
  EXPECT_EQ(poses->error, ProtocolError::kBomb);
  Scene scene;
  const MaybeFault channels =
      rosnetsim::decode_channels(parts(kMostEntries + 1, 0x12), 2, rosnetsim::SightRule::kTwoHops, scene);
  ASSERT_TRUE(channels);
  EXPECT_EQ(channels->error, ProtocolError::kBomb);
  native::Hello hello;
  const std::string robots = parts(kMostEntries + 1, 0x2A);
  std::string message = {0x0A};
  for (std::size_t size = robots.size(); size > 0; size >>= 7) {
    message += static_cast<char>((size & 0x7F) | (size >> 7 != 0 ? 0x80 : 0));
  }
  const MaybeFault names = native::decode(message + robots, hello);
  ASSERT_TRUE(names);
  EXPECT_EQ(names->error, ProtocolError::kBomb);
}

}  // namespace
}  // namespace hilgate::test
