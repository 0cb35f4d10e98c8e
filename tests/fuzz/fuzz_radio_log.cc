// SPDX-License-Identifier: Apache-2.0
// Measurements of radios in logs of vehicles and in JSON of iperf3: what is accepted has distances and levels that are
// numbers.

#include <cmath>

#include "config/config_file.h"
#include "gateway/radio_log/radio_log.h"
#include "physics_link/tracklog/log_file.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

void check_rows(const MeasuredLog& log) {
  double before = 0;
  for (const MeasuredRow& row : log.rows) {
    require(std::isfinite(row.pair.d2d_m) && row.pair.d3d_m >= row.pair.d2d_m, "there is a distance");
    require(row.pair.low_m > 0 && row.pair.high_m >= row.pair.low_m, "both ends have a height");
    require(std::isfinite(row.level_db.value_or(0)) && std::isfinite(row.rate_bps.value_or(0)), "values are numbers");
    require(!row.tally || row.tally->lost <= row.tally->frames, "no more is lost than was sent");
    require(row.moved_m >= before, "nothing moves back");
    before = row.moved_m;
  }
}

// A flight of 1000 s, from the time at which the seed's test was made.
TrackLog some_flight() {
  TrackLog log{.file = "flight", .utc_of_zero = std::chrono::seconds(1'795'919'000), .tracks = {}, .notes = {}};
  log.tracks.push_back({"uav", {{Nanoseconds{0}, Vec3{0, 0, 0}}}});
  for (int i = 1; i <= 1000; ++i) {
    log.tracks[0].points.push_back({std::chrono::seconds(i), Vec3{1.0 * i, 0, 20}});
  }
  return log;
}

}  // namespace
}  // namespace hilgate::test

// The content of a log.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  test::FuzzInput input(data, size);
  const std::string_view content = input.rest();
  try {
    if (is_iperf_log(content)) {
      static const TrackLog flight = test::some_flight();
      test::check_rows(iperf_rows(content, flight, {.log = "log"}));
    } else if (has_radio_status(content)) {
      const TrackLog log = parse_log(content, "log");
      test::check_rows(vehicle_rows(log, {.log = "log", .track = log.tracks.front().name}));
    }
  } catch (const ConfigError& error) {
    test::require(!error.faults().empty(), "there is a reason");
  }
  return 0;
}
