// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/wire_netsim.h"

#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

TEST(WireNetsim, IsPerfectAndSharesNothing) {
  WireNetsim wire(3);
  LinkTable table;
  Scene scene;
  scene.at = SimTime{Nanoseconds{5}};
  wire.link_states(scene, table);
  EXPECT_EQ(table.at, scene.at);
  ASSERT_EQ(table.links.size(), 9u);
  for (const LinkState& link : table.links) {
    EXPECT_TRUE(link.reachable);
    EXPECT_EQ(link.unicast.per_bit, 0);
    EXPECT_EQ(link.multicast.per_bit, 0);
    EXPECT_EQ(link.delay, Nanoseconds{0});
    EXPECT_LT(link.unicast_mode, wire.air_plan().modes.size());
  }
  EXPECT_EQ(wire.air_plan().stations.size(), 3u);
  EXPECT_FALSE(wire.air_plan().stations[0]);
  EXPECT_TRUE(wire.air_plan().domains.empty());
  EXPECT_EQ(wire.air_plan().rules.size(), 9u);
}

}  // namespace
}  // namespace hilgate::test
