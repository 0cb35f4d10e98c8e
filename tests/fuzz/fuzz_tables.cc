// SPDX-License-Identifier: Apache-2.0
// Files of numbers: error tables of three formats, and tracks. What is accepted makes sense: error rates are
// probabilities, and robots are at places.
#include <array>
#include <cmath>

#include "config/config_file.h"
#include "physics_link/trajectory/track.h"
#include "rf_profiles/errors/error_model.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

void read_errors(const std::string& file, ErrorTableFormat format) {
  const ErrorTable table = read_error_table(file, format, 1024);
  for (const ErrorColumn& column : table.columns) {
    const HazardCurve curve = table.hazard(column.mode);
    for (double snr_db = -200; snr_db <= 200; snr_db += 12.5) {
      require(curve(snr_db) >= 0, "a hazard is a number, and not below 0");
    }
  }
}

void read_tracks(const std::string& file) {
  const std::array<std::string, 2> robots = {"red", "blue"};
  for (const Track& track : read_tracks_csv(file, robots)) {
    TrackCursor cursor(track, "red");
    for (const std::int64_t at : {0LL, 1LL, 500'000'000LL, 3'600'000'000'000LL, 9'000'000'000'000'000'000LL}) {
      const Vec3 place = cursor.at(SimTime{Nanoseconds{at}});
      require(std::isfinite(place.x) && std::isfinite(place.y) && std::isfinite(place.z), "a robot is somewhere");
      (void)cursor.still_until(SimTime{Nanoseconds{at}});
    }
  }
}

}  // namespace
}  // namespace hilgate::test

// A choice, and the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  static test::MemoryFile file;
  test::FuzzInput input(data, size);
  const std::uint8_t choice = input.byte() % 4;
  const std::string& path = file.with(input.rest());
  try {
    if (choice == 3) {
      test::read_tracks(path);
    } else {
      test::read_errors(path, static_cast<ErrorTableFormat>(choice));
    }
  } catch (const ConfigError& error) {
    test::require(!error.faults().empty(), "who is refused is told why");
  } catch (const std::runtime_error&) {  // NOLINT(bugprone-empty-catch): refused
  }
  return 0;
}
