// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/sweep.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "gateway/configuration/reader/installed_names.h"
#include "gateway/record/record_reader.h"
#include "gateway/replay/frame_replay.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using Sets = std::vector<std::vector<std::string>>;

constexpr const char* kPair =
    "name: pair\nnetsim: {type: wire}\nports: {red: {interface: a}, blue: {interface: b}}\n"
    "robots:\n  red: {port: red, mac: '02:00:00:00:00:01'}\n  blue: {port: blue, mac: '02:00:00:00:00:02'}\n"
    "links: [{from: red, to: blue, loss: 3 %, delay: 2ms}, {from: blue, to: red, ber: 1e-4}]\n";

class SweepTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("hilgate-sweep-{}", ::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path copies() const { return folder_ / "copies"; }
  [[nodiscard]] Sweep sweep(const std::string& yaml, SweepPlan plan) const {
    std::ofstream(folder_ / "run.yaml") << yaml;
    plan.jobs = 2;
    return run_sweep(ConfigDocument::load(folder_ / "run.yaml"), plan, {.version = "test", .host = {}});
  }

  void expect_the_same_again(const SweepCopy& copy, std::size_t packets) const {
    const Configuration configuration = ConfigDocument::load(copy.folder / "configuration.yaml").read(known_names());
    const FrameReplayOptions options{
        .record = copy.folder, .capture = copy.folder / kCopyCapture, .output = folder_ / "again.pcapng"};
    const FrameReplay replay = replay_frames(configuration, options);
    EXPECT_THAT(replay.doubts(), testing::IsEmpty());
    EXPECT_THAT(replay.before.deliveries.differences(replay.again), testing::IsEmpty());
    EXPECT_GT(replay.again.dropped(), 0U);
    PcapngReader before(options.capture);
    PcapngReader again(options.output);
    CapturedFrame one;
    std::size_t read = 0;
    for (CapturedFrame other; before.next(one) && again.next(other); ++read) {
      EXPECT_EQ(one.interface, other.interface);
      EXPECT_EQ(one.at.nanoseconds, other.at.nanoseconds);
      EXPECT_EQ(one.comment, other.comment);
      EXPECT_TRUE(std::ranges::equal(one.bytes, other.bytes));
    }
    EXPECT_EQ(read, packets) << "each frame before the air and behind it";
  }

  std::filesystem::path folder_;
};

TEST(SampleInterval, IsStudents) {
  const std::vector<double> values{4, 5, 6, 7, 8};
  const SampleInterval interval = SampleInterval::of(values, {0, 100});
  EXPECT_DOUBLE_EQ(interval.mean, 6);
  EXPECT_NEAR(interval.high, 6 + 2.7764 * std::sqrt(2.5 / 5), 1e-9);
  EXPECT_NEAR(interval.low, 6 - 2.7764 * std::sqrt(2.5 / 5), 1e-9);
  std::vector<double> many(31, 0.0);  // t(0.975, 30) = 2.0423
  many.front() = 31;
  EXPECT_NEAR(SampleInterval::of(many, {0, 100}).high, 1 + 2.0423 * std::sqrt((30.0 * 30 + 30) / 30 / 31), 1e-3);
  EXPECT_EQ(SampleInterval::of(many, {0, 100}).low, 0) << "no mean is below";
  EXPECT_EQ(SampleInterval::of(std::vector<double>{3}, {0, 100}).low, 3);
}

TEST(Combinations, AreAllOfThem) {
  EXPECT_EQ(combinations({}), Sets{{}});
  EXPECT_EQ(combinations({"a=1,2", "b=[3,4],'5,6'"}),
            (Sets{{"a=1", "b=[3,4]"}, {"a=1", "b='5,6'"}, {"a=2", "b=[3,4]"}, {"a=2", "b='5,6'"}}));
  EXPECT_THROW(combinations({"a"}), std::runtime_error);
}

// Independent losses, and bit errors in 200 bytes.
TEST_F(SweepTest, TheLossOfAHundredSeedsCoversTheAnalyticOne) {
  const Sweep all = sweep(kPair, {.seeds = 100, .traffic = {.interval = 1ms, .length = 400ms}, .folder = copies()});
  EXPECT_EQ(all.failed(), 0U);
  const auto rows = all.rows();
  ASSERT_EQ(rows.size(), 2U);
  const double bits = 8 * 200;
  for (const auto& [row, loss] : {std::pair{rows[1], 0.03}, std::pair{rows[0], 1 - std::pow(1 - 1e-4, bits)}}) {
    EXPECT_EQ(row.copies, 100U);
    EXPECT_EQ(row.deliveries, 100U * 400);
    EXPECT_LE(row.loss.low, loss) << row.from << ">" << row.to;
    EXPECT_GE(row.loss.high, loss) << row.from << ">" << row.to;
    // As wide as that of a binomial distribution, give or take what a variance of 100 samples varies by.
    const double half = 1.984 * std::sqrt(loss * (1 - loss) / 400 / 100);
    EXPECT_NEAR((row.loss.high - row.loss.low) / 2, half, 0.3 * half);
  }
  EXPECT_NEAR(rows[1].delay_ms.mean, 2, 1e-6);
}

// Two pairs of radios 20 m apart, and frames from each robot to each other: those to robots of the other medium take no
// time on the air, as unicast and as broadcast, so that each pair is as good as alone.
TEST_F(SweepTest, RobotsOfAnotherMediumTakeNoAirtime) {
  const auto robot = [](int i, const char* radio) {
    return fmt::format("  r{}: {{port: p{}, mac: '02:00:00:00:00:0{}', radio: {}}}\n", i, i, i + 1, radio);
  };
  const auto track = [](int i, int x) { return fmt::format("    r{}: [{{at: 0s, position: [{}m, 0m, 1m]}}]\n", i, x); };
  const std::string head = "name: media\nnetsim: {type: embedded}\n";
  const std::string two = head + "ports: {p0: {interface: a}, p1: {interface: b}}\nrobots:\n" + robot(0, "wifi_11ag") +
                          robot(1, "wifi_11ag") + "physics:\n  type: trajectory\n  tracks:\n" + track(0, 0) +
                          track(1, 20);
  const std::string four =
      head + "ports: {p0: {interface: a}, p1: {interface: b}, p2: {interface: c}, p3: {interface: d}}\nrobots:\n" +
      robot(0, "wifi_11ag") + robot(1, "wifi_11ag") + robot(2, "wifi_11n_2g4_adhoc") + robot(3, "wifi_11n_2g4_adhoc") +
      "physics:\n  type: trajectory\n  tracks:\n" + track(0, 0) + track(1, 20) + track(2, 5) + track(3, 15);
  const SweepPlan plan{.seeds = 1, .traffic = {.interval = 10ms, .length = 2s}, .folder = copies()};
  const auto alone = sweep(two, plan).rows();
  std::filesystem::remove_all(copies());
  const auto rows = sweep(four, plan).rows();
  const auto find = [](const auto& all, const char* from, const char* to) {
    return *std::ranges::find_if(all, [&](const Sweep::Row& row) { return row.from == from && row.to == to; });
  };
  EXPECT_EQ(find(rows, "r0", "r1").loss.mean, find(alone, "r0", "r1").loss.mean);
  EXPECT_NEAR(find(rows, "r0", "r1").delay_ms.mean, find(alone, "r0", "r1").delay_ms.mean, 1e-6);
  EXPECT_LT(find(rows, "r2", "r3").loss.mean, 0.01);
  EXPECT_EQ(find(rows, "r0", "r2").loss.mean, 1);
}

TEST_F(SweepTest, EachCopyHasARecordOfItsValues) {
  const Sweep all = sweep(kPair, {.seeds = 2,
                                  .first_seed = 5,
                                  .values = {"links.red.blue.loss=0 %,100 %"},
                                  .traffic = {.interval = 10ms, .length = 100ms},
                                  .folder = copies()});
  ASSERT_EQ(all.copies.size(), 4U);
  EXPECT_EQ(all.failed(), 0U);
  EXPECT_EQ(all.copies[1].folder.filename(), "set-1-seed-6");
  for (const SweepCopy& copy : all.copies) {
    const RecordSummary summary = RecordSummary::of(copy.folder);
    EXPECT_TRUE(summary.end.whole);
    EXPECT_EQ(summary.run.at("seed"), copy.seed);
    EXPECT_EQ(summary.totals.at("in"), 20);
    ASSERT_EQ(copy.links.size(), 2U);
    EXPECT_EQ(copy.links[0].released, copy.set == 0 ? 10U : 0U);
  }
  const auto rows = all.rows();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1].to, "blue");
  EXPECT_EQ(rows[1].loss.mean, 0);
  EXPECT_EQ(rows[3].loss.low, 1);
  EXPECT_THROW(
      static_cast<void>(
          sweep(kPair, {.seeds = 1, .first_seed = 5, .values = {"links.red.blue.loss=0 %,1 %"}, .folder = copies()})),
      std::runtime_error)
      << "there are records already";
}

// A copy runs in lockstep: its frames once more are the same to the byte and the nanosecond.
TEST_F(SweepTest, ACopyIsReplayedByteForByte) {
  const Sweep all =
      sweep(kPair, {.seeds = 1, .traffic = {.interval = 1ms, .length = 300ms}, .folder = copies(), .capture = true});
  ASSERT_EQ(all.failed(), 0U) << all.copies[0].failure;
  expect_the_same_again(all.copies[0], 1200);
}

// A replay takes up link tables by the times of the record, and frames by those of the capture. Media look at the table
// at the end of each try, between frames, so that no fate tells when it was taken up.
TEST_F(SweepTest, TheCaptureOfACopyHasTheTimesOfItsRecord) {
  const Sweep all =
      sweep(kPair, {.seeds = 1, .traffic = {.interval = 10ms, .length = 20ms}, .folder = copies(), .capture = true});
  ASSERT_EQ(all.failed(), 0U) << all.copies[0].failure;
  PcapngReader capture(all.copies[0].folder / kCopyCapture);
  CapturedFrame first;  // at sim time 0, as the first table
  ASSERT_TRUE(capture.next(first));
  const RecordedAir air(all.copies[0].folder);
  EXPECT_EQ(first.at.nanoseconds, static_cast<std::uint64_t>(air.place().written.count()));
}

TEST_F(SweepTest, ACopyOfRadiosThatMoveIsReplayedByteForByte) {
  const Sweep all = sweep(
      "name: radios\nnetsim: {type: embedded}\nports: {red: {interface: a}, blue: {interface: b}}\n"
      "robots:\n  red: {port: red, mac: '02:00:00:00:00:01', radio: wifi_11n_2g4_adhoc}\n"
      "  blue: {port: blue, mac: '02:00:00:00:00:02', radio: wifi_11n_2g4_adhoc}\n"
      "physics:\n  type: trajectory\n  tracks:\n    red: [{at: 0s, position: [0m, 0m, 2m]}]\n"
      "    blue: [{at: 0s, position: [20m, 0m, 2m]}, {at: 2s, position: [820m, 0m, 2m]}]\n"
      "record: {folder: unused}\n",
      {.seeds = 4, .traffic = {.interval = 5ms, .length = 2s}, .folder = copies(), .capture = true});
  ASSERT_EQ(all.failed(), 0U) << all.copies[0].failure;
  EXPECT_GT(all.copies[0].links[0].released, 0U);
  EXPECT_LT(all.copies[0].links[0].released, all.copies[0].links[0].deliveries);
  for (const SweepCopy& copy : all.copies) {
    expect_the_same_again(copy, 1600);
  }
}

// As far as a geostationary satellite is from stations under it.
TEST_F(SweepTest, ASatelliteIsInReachOfItsStations) {
  const Sweep all = sweep(
      "name: geo\nnetsim: {type: embedded}\nports: {g1: {interface: a}, sat: {interface: b}}\n"
      "robots:\n  g1: {port: g1, mac: '02:00:00:00:00:01', radio: sat_geo}\n"
      "  sat: {port: sat, mac: '02:00:00:00:00:02', radio: sat_geo}\n"
      "physics:\n  type: trajectory\n  tracks:\n    g1: [{at: 0s, position: [0m, 0m, 10m]}]\n"
      "    sat: [{at: 0s, position: [-11713742.871m, 4523182.261m, 33873279.586m]}]\n",
      {.seeds = 1, .traffic = {.interval = 10ms, .length = 100ms}, .folder = copies()});
  ASSERT_EQ(all.failed(), 0U) << all.copies[0].failure;
  for (const CopyLink& link : all.copies[0].links) {
    EXPECT_EQ(link.released, 10U) << link.from;
  }
}

TEST_F(SweepTest, FaultsOfACopyAreReported) {
  std::ofstream(folder_ / "none.pcapng") << "something else";
  const Sweep all = sweep(kPair, {.seeds = 2, .frames = folder_ / "none.pcapng", .folder = copies()});
  EXPECT_EQ(all.failed(), 2U);
  EXPECT_THAT(all.copies[1].failure, HasSubstr("is no pcapng or pcap file"));
  EXPECT_THAT(all.rows(), testing::IsEmpty());
  EXPECT_THROW(static_cast<void>(sweep(std::string(kPair) + "physics: {type: native, address: 'unix:/x'}\n",
                                       {.seeds = 1, .folder = copies()})),
               std::runtime_error);
}

}  // namespace
}  // namespace hilgate::test
