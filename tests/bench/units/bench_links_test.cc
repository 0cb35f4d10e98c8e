// SPDX-License-Identifier: Apache-2.0
// `hilgate bench links`: that it measures, and says so when ns-3 is not there. How quick the machine is does not
// matter.
#include "bench/bench_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "bench/program_output.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kFolders{HILGATE_SOURCE_DIR "/rf_profiles/profiles"};

TEST(BenchLinks, TimesUpdatesAndReportsWhyNs3IsAbsent) {
  const BenchLinksResult result = bench_links({.robots = 3, .duration = Nanoseconds{1}, .floor_cells = 17}, kFolders);
  for (const LinksTime& time : {result.open, result.surveyed}) {
    EXPECT_GE(time.updates, 10u);
    EXPECT_GT(time.ms_per_update, 0);
    EXPECT_GE(time.p99_ms, time.ms_per_update);
    EXPECT_NEAR(time.ns_per_link * 6, time.ms_per_update * 1e6, 1e-6);
    EXPECT_FALSE(result.ratio(time));
  }
  EXPECT_FALSE(result.ns3_ns_per_link);
  EXPECT_THAT(result.ns3_reason, HasSubstr("ns3_links_bench was found neither beside this program nor in PATH"));
}

TEST(BenchLinks, NamesTheProfileThatIsNotThere) {
  EXPECT_THROW(bench_links({.profile = "wifi_11n_2g4_adhok"}, kFolders), std::runtime_error);
}

TEST(BenchLinks, NamesTheMapThatHasNoSurvey) {
  EXPECT_THROW(bench_links({.map = HILGATE_SOURCE_DIR "/examples/no-such-map.yaml", .floor_cells = 17}, kFolders),
               std::runtime_error);
}

TEST(BenchFleet, StaysOnItsFieldAndMoves) {
  const BenchField field{10, 20, 1, 2};
  BenchFleet fleet(20, field, true);
  const Scene before = fleet.step();
  for (int window = 0; window < 1000; ++window) {
    for (const Pose& pose : fleet.step().robots) {
      EXPECT_GE(pose.position.x, 10);
      EXPECT_LE(pose.position.x, 11);
      EXPECT_GE(pose.position.y, 20);
      EXPECT_LE(pose.position.y, 22);
    }
  }
  EXPECT_NE(fleet.step().robots[3].position, before.robots[3].position);
  EXPECT_EQ(before.sights[5].walls.size(), 1u);
}

TEST(ProgramOutput, EqualsStandardOutputUnlessItFails) {
  EXPECT_EQ(output_of_program("echo", {"a  b", "$HOME"}), "a  b $HOME\n");
  EXPECT_THROW(output_of_program("false", {}), std::runtime_error);
}

}  // namespace
}  // namespace hilgate::test
