// SPDX-License-Identifier: Apache-2.0
// Logs of autopilots, receivers and simulators: what is accepted is tracks that a run can have, and can be reported.

#include "physics_link/foreign_numbers.h"
#include "physics_link/tracklog/laid_tracks.h"
#include "physics_link/tracklog/log_file.h"
#include "physics_link/tracklog/track_log.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

void check_log(const TrackLog& log) {
  require(!log.tracks.empty(), "a log has a track");
  for (const LogTrack& track : log.tracks) {
    require(!track.points.empty(), "a track has a position");
    for (std::size_t i = 1; i < track.points.size(); ++i) {
      require(track.points[i - 1].at < track.points[i].at, "times increase");
    }
  }
  require(!log_report_text(log).empty(), "there is a report");
  require(log_report_json(log).starts_with('{'), "there is a report for programs");
}

void check_laid(const LaidTracks& laid) {
  for (const LaidTrack& each : laid.tracks) {
    require(each.robot == robot_name(each.robot), "a robot has a name");
    for (const Waypoint& point : each.track) {
      require(is_bounded(point.position), "a robot is somewhere");
      require(point.at >= SimTime{} && point.at.time_since_epoch() <= kLongestRun, "a time is within a run");
    }
    const TrackCursor cursor(each.track, each.robot);
  }
  require(tracks_csv(laid).find("nan") == std::string::npos, "there are numbers alone");
}

}  // namespace
}  // namespace hilgate::test

// The content of a log.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  test::FuzzInput input(data, size);
  try {
    const TrackLog log = parse_log(input.rest(), "log");
    test::check_log(log);
    test::check_laid(lay_tracks({&log, 1}, {}));
  } catch (const ConfigError& error) {
    test::require(!error.faults().empty(), "who is refused is told why");
  }
  return 0;
}
