// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/plain_text.h"
#include "config/quantity.h"
#include "gateway/commands/command_line.h"
#include "host/plain_file.h"
#include "physics_link/tracklog/laid_tracks.h"
#include "physics_link/tracklog/log_file.h"
#include "physics_link/tracklog/track_log.h"

namespace hilgate {

struct TrackImportOptions {
  std::vector<std::string> files;
  LayRules rules;
  std::string to;  // empty: standard output
};

namespace {

// LOG=ROBOT,LOG=ROBOT. The name of a track may have equals signs.
void add_robots(const std::string& text, LayRules& rules) {
  for (const std::string& part : parts_of(text, ',')) {
    const std::size_t equals = part.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      throw std::invalid_argument(fmt::format("'{}' is not of the form TRACK=ROBOT; example: system1=red", part));
    }
    const std::string robot = part.substr(equals + 1);
    if (robot != robot_name(robot)) {
      throw std::invalid_argument(fmt::format(
          "'{}' is not a name; allowed: up to 32 letters, digits, '-' and '_', a letter or digit first", robot));
    }
    if (!rules.robots.emplace(part.substr(0, equals), robot).second) {
      throw std::invalid_argument(fmt::format("'{}' is given twice", part.substr(0, equals)));
    }
  }
}

// LATITUDE,LONGITUDE[,ALTITUDE]
mavlink::Geodetic origin_of_text(const std::string& text) {
  std::vector<double> numbers;
  for (const std::string& part : parts_of(text, ',')) {
    numbers.push_back(parse_text<double>(part));
  }
  if (numbers.size() < 2 || numbers.size() > 3 || !(std::abs(numbers[0]) <= 90) || !(std::abs(numbers[1]) <= 180)) {
    throw std::invalid_argument(fmt::format(
        "'{}' is no LATITUDE,LONGITUDE or LATITUDE,LONGITUDE,ALTITUDE in degrees and m; example: 47.3977,8.5456,488",
        text));
  }
  return {numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 0};
}

}  // namespace

// `hilgate track import`: prints logs as one file of tracks, and what it leaves out on standard error. Returns the exit
// status. Throws ConfigError.
int track_import_command(const TrackImportOptions& options) {
  std::vector<TrackLog> logs;
  for (const std::string& file : options.files) {
    logs.push_back(read_log(file));
    for (const std::string& note : logs.back().notes) {
      fmt::print(stderr, "{}: {}\n", file, note);
    }
  }
  const LaidTracks laid = lay_tracks(logs, options.rules);
  for (const std::string& note : laid.notes) {
    fmt::print(stderr, "{}\n", note);
  }
  if (laid.origin) {
    fmt::print(stderr, "origin: {:.7f},{:.7f},{:.3f}\n", laid.origin->lat_deg, laid.origin->lon_deg,
               laid.origin->alt_m);
  }
  if (options.to.empty()) {
    std::cout << tracks_csv(laid);
  } else {
    replace_plain_file(options.to, tracks_csv(laid));
  }
  return 0;
}

// `hilgate track show`: prints what logs have. Returns the exit status: 0, or 1 when one cannot be read.
int track_show_command(const std::vector<std::string>& files, bool json) {
  int status = 0;
  for (const std::string& file : files) {
    try {
      const TrackLog log = read_log(file);
      std::cout << (json ? log_report_json(log) + "\n" : log_report_text(log));
    } catch (const ConfigError& error) {
      std::cerr << error.what() << '\n';
      status = 1;
    }
  }
  return status;
}

void add_track(CLI::App& program, Action& action) {
  auto* track =
      program.add_subcommand("track", "Where robots were, from the logs of autopilots, receivers and simulators")
          ->require_subcommand(1);
  auto* show = track->add_subcommand("show", "Show what logs have: tracks, times, extents, and what is left out");
  auto files = std::make_shared<std::vector<std::string>>();
  auto json = std::make_shared<bool>(false);
  show->add_option("FILE", *files, "logs")->required()->expected(1, 1000);
  show->add_flag("--json", *json, "print JSON, a line for each file");
  show->callback([&action, files, json] { action = [files, json] { return track_show_command(*files, *json); }; });

  auto* conversion = track->add_subcommand("import", "Print logs as tracks for `physics: {file}`");
  auto options = std::make_shared<TrackImportOptions>();
  conversion->add_option("FILE", options->files, "logs; several go together by UTC")->required()->expected(1, 1000);
  add_word(*conversion, "--robots",
           "TRACK=ROBOT,...: the robots of the tracks, system1=red; others are left out [all tracks, by their names]",
           [options](const std::string& given) { add_robots(given, options->rules); });
  add_word(*conversion, "--time",
           "what is time 0: `first` position, `absolute` as the log's clock, or an instant, 2024-05-01T10:00:00Z "
           "[first; of simulations absolute]",
           [options](const std::string& given) { options->rules.start = LogStart::parse(given); });
  add_word(*conversion, "--origin", "LATITUDE,LONGITUDE,ALTITUDE of the coordinates' origin [the first position]",
           [options](const std::string& given) { options->rules.origin = origin_of_text(given); });
  conversion->add_option("--to", options->to, "file to write [standard output]");
  conversion->callback([&action, options] { action = [options] { return track_import_command(*options); }; });
}

}  // namespace hilgate
