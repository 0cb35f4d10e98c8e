// SPDX-License-Identifier: Apache-2.0
// `hilgate bench links`: that it measures, and says so when ns-3 is not there. How quick the machine is does not
// matter.
#include "gateway/commands/bench_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "gateway/commands/program_output.h"

namespace hilgate {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kFolders{HILGATE_SOURCE_DIR "/rf_profiles/profiles"};

TEST(BenchLinks, TimesUpdatesAndSaysWhyNs3IsNot) {
  const BenchLinksResult result = bench_links({.robots = 3, .duration = Nanoseconds{1}}, kFolders);
  EXPECT_GE(result.updates, 10u);
  EXPECT_GT(result.ms_per_update, 0);
  EXPECT_NEAR(result.ns_per_link * 6, result.ms_per_update * 1e6, 1e-6);
  EXPECT_FALSE(result.ns3_ns_per_link);
  EXPECT_FALSE(result.ratio());
  EXPECT_THAT(result.ns3_reason, HasSubstr("ns3_links_bench is neither beside this program nor on PATH"));
}

TEST(BenchLinks, NamesTheProfileThatIsNotThere) {
  EXPECT_THROW(bench_links({.profile = "wifi_11n_2g4_adhok"}, kFolders), std::runtime_error);
}

TEST(ProgramOutput, IsWhatItPrintsUnlessItFails) {
  EXPECT_EQ(output_of_program("echo", {"a  b", "$HOME"}), "a  b $HOME\n");
  EXPECT_THROW(output_of_program("false", {}), std::runtime_error);
}

}  // namespace
}  // namespace hilgate
