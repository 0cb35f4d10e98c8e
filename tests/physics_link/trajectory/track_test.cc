// SPDX-License-Identifier: Apache-2.0
#include "physics_link/trajectory/track.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "config/config_file.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

SimTime at(Nanoseconds since_start) {
  return SimTime{since_start};
}

TEST(Track, MovesOnStraightLinesAndStaysAtTheEnds) {
  TrackCursor cursor({{at(1s), {0, 0, 5}}, {at(3s), {10, -4, 5}}, {at(4s), {10, -4, 9}}}, "red");
  EXPECT_EQ(cursor.at(at(0s)), (Vec3{0, 0, 5}));
  EXPECT_EQ(cursor.at(at(1s)), (Vec3{0, 0, 5}));
  EXPECT_EQ(cursor.at(at(2s)), (Vec3{5, -2, 5}));
  EXPECT_EQ(cursor.at(at(3s)), (Vec3{10, -4, 5}));
  EXPECT_EQ(cursor.at(at(3500ms)), (Vec3{10, -4, 7}));
  EXPECT_EQ(cursor.at(at(100s)), (Vec3{10, -4, 9}));
}

TEST(Track, MaySkipWaypoints) {
  TrackCursor cursor({{at(0s), {0, 0, 0}}, {at(1s), {1, 0, 0}}, {at(2s), {1, 1, 0}}, {at(4s), {1, 1, 2}}}, "red");
  EXPECT_EQ(cursor.at(at(3s)), (Vec3{1, 1, 1}));
}

std::string error_of(Track track) {
  try {
    TrackCursor cursor(std::move(track), "red");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Track, KnowsHowLongItStands) {
  const TrackCursor cursor({{at(1s), {0, 0, 0}}, {at(2s), {0, 0, 0}}, {at(3s), {1, 0, 0}}, {at(4s), {1, 0, 0}}}, "red");
  EXPECT_EQ(cursor.still_until(at(0s)), at(2s));
  EXPECT_EQ(cursor.still_until(at(1s)), at(2s));
  EXPECT_EQ(cursor.still_until(at(2s)), at(2s)) << "it moves";
  EXPECT_EQ(cursor.still_until(at(2500ms)), at(2500ms));
  EXPECT_EQ(cursor.still_until(at(3s)), SimTime::max());
  EXPECT_EQ(cursor.still_until(at(9s)), SimTime::max());
  EXPECT_EQ(TrackCursor({{at(0s), {}}}, "red").still_until(at(0s)), SimTime::max());
}

TEST(Track, RejectsNonTracks) {
  EXPECT_EQ(error_of({}), "the track of 'red' is empty; give at least one waypoint");
  EXPECT_EQ(error_of({{at(2s), {}}, {at(2s), {}}}), "waypoint 1 of 'red' is at 2 s, not after the previous one at 2 s");
  EXPECT_EQ(error_of({{at(0s), {0, NAN, 0}}}), "waypoint 0 of 'red' has a coordinate that is not finite: 0, nan, 0");
}

class TracksCsv : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<Track> read(const std::string& text) {
    std::ofstream(file_) << text;
    return read_tracks_csv(file_, robots_);
  }
  /// The faults without the name of the file.
  std::vector<std::string> faults_of(const std::string& text) {
    std::vector<std::string> lines;
    try {
      read(text);
    } catch (const ConfigError& error) {
      for (const Fault& fault : error.faults()) {
        EXPECT_EQ(fault.file, file_);
        lines.push_back(fault.line_text().substr(file_.size() + 1));
      }
    }
    return lines;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("hgt-radio-" + std::to_string(getpid()));
  const std::string file_ = folder_ / "tracks.csv";
  const std::vector<std::string> robots_{"red", "blue"};
};

TEST_F(TracksCsv, ReadsTracksInTheOrderOfTheRobots) {
  const auto tracks = read("t_s,robot,x_m,y_m,z_m\n0,blue,1,2,3\r\n0,red,4,5,6\n\n0.5,blue,-1,2e1,3\n");
  ASSERT_EQ(tracks.size(), 2u);
  ASSERT_EQ(tracks[0].size(), 1u);
  EXPECT_EQ(tracks[0][0].position, (Vec3{4, 5, 6}));
  ASSERT_EQ(tracks[1].size(), 2u);
  EXPECT_EQ(tracks[1][1].at, at(500ms));
  EXPECT_EQ(tracks[1][1].position, (Vec3{-1, 20, 3}));
}

TEST_F(TracksCsv, NamesEveryFaultWithItsLine) {
  EXPECT_THAT(faults_of("t,robot\n"), ElementsAre("1: the header is 't,robot'; it must be 't_s,robot,x_m,y_m,z_m'"));
  EXPECT_THAT(
      faults_of(
          "t_s,robot,x_m,y_m,z_m\n0,red,1,2\n0,bleu,1,2,3\n1,red,1,2,x\n2,red,1,2,3\n2,red,1,2,3\n-1,red,0,0,0\n"),
      ElementsAre("2: '0,red,1,2' does not have the five fields t_s,robot,x_m,y_m,z_m",
                  "3: unknown robot 'bleu'; did you mean 'blue'?", "4: 'x' is not a number; example: 2.5 or 1e-5",
                  "6: time 2 s of 'red' is not after its previous time, 2 s",
                  "7: time '-1' is out of range; allowed: 0 to 9e9 seconds"));
  EXPECT_THAT(faults_of("t_s,robot,x_m,y_m,z_m\n0,red,1,2,3\n"), ElementsAre(" has no line for robot 'blue'"));
}

TEST_F(TracksCsv, MissingFile) {
  try {
    read_tracks_csv("/nonexistent.csv", robots_);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "/nonexistent.csv: cannot be read: No such file or directory");
  }
}

}  // namespace
}  // namespace hilgate::test
