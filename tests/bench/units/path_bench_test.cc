// SPDX-License-Identifier: Apache-2.0
// `hilgate bench throughput, hold, release`: that they measure what they say; how quick the machine is does not matter
// here.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace hilgate::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class PathBench : public testing::Test {
 protected:
  static Finished bench(std::vector<std::string> words) {
    words.insert(words.begin(), {HILGATE_BIN_DIR "/hilgate", "bench"});
    return run(words);
  }
  // The object on standard output; DPDK's messages go to standard error.
  static json figures(std::vector<std::string> words) {
    words.insert(words.begin(), {"sh", "-c", R"(exec "$@" 2>/dev/null)", "sh", HILGATE_BIN_DIR "/hilgate", "bench"});
    words.emplace_back("--json");
    const Finished finished = run(words);
    const json object = json::parse(finished.output, nullptr, false);
    EXPECT_EQ(finished.status, 0) << finished.output;
    EXPECT_TRUE(object.is_object()) << finished.output;
    return object;
  }
  static bool left_out() {
    const Finished finished = bench({"release", "--frames", "1"});
    return finished.output.find("without DPDK") != std::string::npos;
  }
  void SetUp() override {
    if (left_out()) {
      GTEST_SKIP() << "hilgate was built without DPDK";
    }
  }
};

TEST_F(PathBench, AllWritesADocumentThatFiguresReads) {
  const json all = figures({"all", "--only", "release", "--rounds", "1", "--seconds", "1"});
  ASSERT_TRUE(all.is_object());
  EXPECT_EQ(all["failed"], json::array());
  const Finished read = run({"python3", "-B", "-c",
                             "import json, sys; sys.path.insert(0, sys.argv[1]); import figures; "
                             "print(figures.rows_of(json.loads(sys.argv[2]), ''))",
                             HILGATE_SOURCE_DIR "/tests/bench", all.dump()});
  EXPECT_EQ(read.status, 0) << read.output;  // a figure of one round is none of theirs
}

TEST_F(PathBench, ThroughputIsARatioToTestpmd) {
  const json all = figures({"throughput", "--seconds", "0.1"});
  ASSERT_TRUE(all.is_object());
  EXPECT_GT(all["pps"].get<double>(), 0);
  EXPECT_GT(all["held"].get<double>(), 0);
  EXPECT_GT(all["holding_forwarder_pps"].get<double>(), 0) << "the same devices with as many frames held";
  for (const char* stage : {"receive", "decide", "release", "transmit"}) {
    EXPECT_GT(all["cycles_per_frame"][stage].get<double>(), 0) << stage;
  }
  ASSERT_EQ(all["rows"].size(), 1U);
  if (all["testpmd_pps"].is_null()) {
    EXPECT_TRUE(all["ratio"].is_null());
    GTEST_SKIP() << "dpdk-testpmd (Debian: dpdk-dev) is not installed: no yardstick to compare with";
  }
  EXPECT_DOUBLE_EQ(all["ratio"].get<double>(), all["pps"].get<double>() / all["testpmd_pps"].get<double>());
}

TEST_F(PathBench, AShorterDelayHoldsFewer) {
  const json soon = figures({"throughput", "--seconds", "0.1", "--delay", "10us"});
  const json late = figures({"throughput", "--seconds", "0.1", "--delay", "1ms"});
  EXPECT_LT(soon["held"].get<double>(), late["held"].get<double>());
  EXPECT_NE(bench({"throughput", "--delay", "3ms"}).output.find("allowed are 0 to 2ms"), std::string::npos);
}

TEST_F(PathBench, AMixHasItsMeanSizeAndASearchFindsNoMoreThanWasMeasured) {
  const json all = figures({"throughput", "--seconds", "0.1", "--size", "imix", "--search"});
  ASSERT_TRUE(all.is_object());
  const double mean = (7 * 64 + 4 * 570 + 1518) / 12.0;
  EXPECT_DOUBLE_EQ(all["gbps"].get<double>(), all["pps"].get<double>() * mean * 8e-9);
  EXPECT_GE(all["zero_loss_pps"].get<double>(), 0);
  EXPECT_LE(all["zero_loss_pps"].get<double>(), all["pps"].get<double>() * 1.2);
}

TEST_F(PathBench, HoldHoldsTheRequestedFrames) {
  const json all = figures({"hold", "--seconds", "0.2", "--frames", "20000"});
  ASSERT_TRUE(all.is_object());
  EXPECT_GT(all["pps_1k"].get<double>(), 0);
  EXPECT_DOUBLE_EQ(all["ratio"].get<double>(), all["pps"].get<double>() / all["pps_1k"].get<double>());
  EXPECT_GT(all["held"].get<double>(), all["held_1k"].get<double>());
  EXPECT_GT(all["memory_bytes"].get<std::uint64_t>(), 20'000U * 256);
}

TEST_F(PathBench, NoFrameIsReleasedEarly) {
  const json all = figures({"release", "--frames", "3000", "--rate", "20000"});
  ASSERT_TRUE(all.is_object());
  EXPECT_EQ(all["frames"], 3000);
  EXPECT_EQ(all["early"], 0);
  EXPECT_LE(all["p50_ns"].get<double>(), all["p99_ns"].get<double>());
  EXPECT_LE(all["p99_ns"].get<double>(), all["p999_ns"].get<double>());
  EXPECT_LE(all["p999_ns"].get<double>(), all["max_ns"].get<double>());
  EXPECT_LE(all["spin_p50_ns"].get<double>(), all["spin_p99_ns"].get<double>());
}

TEST_F(PathBench, MoreThanTheMachineHoldsIsRefusedWithTheValue) {
  const Finished finished = bench({"hold", "--frames", "3000000000"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.output, HasSubstr("--frames 3000000000 needs "));
}

TEST_F(PathBench, WrongValues) {
  EXPECT_THAT(bench({"throughput", "--size", "63"}).output, HasSubstr("--size '63': allowed are 64 to 1518 bytes"));
  EXPECT_THAT(bench({"hold", "--frames", "12"}).output, HasSubstr("--frames 12: allowed are 1000 to 3000000000"));
  EXPECT_THAT(bench({"release", "--rate", "0"}).output, HasSubstr("--rate 0: allowed are 1 to 10000000"));
  EXPECT_THAT(bench({"release", "--delay", "1us"}).output, HasSubstr("--delay 1000 ns: allowed are 10us to 1s"));
  EXPECT_EQ(bench({"throughput", "--seconds", "0"}).status, 2);
}

}  // namespace
}  // namespace hilgate::test
