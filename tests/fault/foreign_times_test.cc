// SPDX-License-Identifier: Apache-2.0
// Times that no clock shows: before the beginning, and after the end of any run.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>
#include <limits>

#include "config/config_file.h"
#include "netsim_link/native/native_network_codec.h"
#include "physics_link/feeds/position_formats.h"
#include "physics_link/foreign_numbers.h"
#include "physics_link/native/native.pb.h"
#include "physics_link/trajectory/track.h"
#include "tests/fault/fault_record.h"
#include "tests/loop.h"

namespace hilgate::test {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMostNs = std::numeric_limits<std::int64_t>::max();

TEST(Fault, ReleaseTimesOutsideTheRun) {
  wire::native::Message message;
  for (const std::int64_t ns : {kLeast, std::int64_t{-1}, kMostNs}) {
    auto& verdict = *message.mutable_end()->add_verdicts();
    verdict.set_receiver(1);
    verdict.set_release_ns(ns);
  }
  native::NetworkEnd end;
  static_cast<void>(native::decode(message.SerializeAsString(), 2, end));
  for (const Verdict& verdict : end.verdicts) {
    EXPECT_GE(verdict.release_at, SimTime{});
    EXPECT_LE(verdict.release_at, SimTime{kLongestRun});
  }
  record({"Verdicts with release times of -2^63, -1 and 2^63 - 1 ns",
          "From the beginning of the run to 31 years; a frame is held a day at most",
          fmt::format("{} of {} in range", end.verdicts.size(), message.end().verdicts_size())});
}

TEST(Fault, DelaysOutsideTheRun) {
  wire::native::Message message;
  for (const std::int64_t ns : {kLeast, std::int64_t{-1}, kMostNs}) {
    auto& link = *message.mutable_end()->add_links();
    link.set_receiver(1);
    link.set_delay_ns(ns);
  }
  native::NetworkEnd end;
  EXPECT_TRUE(native::decode(message.SerializeAsString(), 2, end)) << "a fault is told";
  for (const native::LinkUpdate& link : end.links) {
    EXPECT_GE(link.state.delay, Nanoseconds{0});
    EXPECT_LE(link.state.delay, kLongestForeignDelay);
  }
  record({"Link states with delays of -2^63, -1 and 2^63 - 1 ns", "A fault is reported; no delay is out of 0 to 24 h",
          fmt::format("{} of 3 taken", end.links.size())});
}

TEST(Fault, ClocksOutsideTheRun) {
  int refused = 0;
  for (const char* line :
       {R"({"t": -1})", R"({"t": 1e300})", R"({"t": "nan"})", R"({"t": null})", R"({"t": -1e-300})"}) {
    const auto time = parse_cornet_clock(line);
    refused += time ? 0 : 1;
    if (time) {
      EXPECT_GE(*time, SimTime{}) << line;
    }
  }
  const TempDir folder;
  for (const char* time : {"-1", "1e300", "nan", "inf", "9e9999"}) {
    std::ofstream(folder.file("t.csv")) << "t_s,robot,x_m,y_m,z_m\n" << time << ",red,0,0,0\n";
    const std::vector<std::string> robots = {"red"};
    EXPECT_THROW(static_cast<void>(read_tracks_csv(folder.file("t.csv"), robots)), ConfigError) << time;
    ++refused;
  }
  record({"Simulators' clocks and tracks with times that are negative, endless or no numbers", "Refused",
          fmt::format("{} of 10 refused", refused)});
}

}  // namespace
}  // namespace hilgate::test
