// SPDX-License-Identifier: Apache-2.0
#include "gateway/radio_log/radio_log.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <utility>
#include <vector>

#include "config/config_file.h"
#include "config/nearest.h"
#include "config/plain_text.h"
#include "host/mcap/mcap_format.h"
#include "host/plain_file.h"
#include "physics_link/tracklog/log_file.h"
#include "rf_profiles/fit/log_reader.h"

namespace hilgate {
namespace {

constexpr std::array kRadioValues = {std::pair{std::string_view("rssi"), RadioValue::kRssi},
                                     std::pair{std::string_view("snr"), RadioValue::kSnr},
                                     std::pair{std::string_view("remrssi"), RadioValue::kRemoteRssi},
                                     std::pair{std::string_view("remsnr"), RadioValue::kRemoteSnr}};

/// An option, by its name, that is given.
struct GivenOption {
  const char* name;
  bool given;
};

void refuse(const RadioLogOptions& options, const char* format, std::initializer_list<GivenOption> useless) {
  std::vector<Fault> faults;
  for (const GivenOption& option : useless) {
    if (option.given) {
      faults.push_back({options.log, 0, "", fmt::format("is {}, which has no use for {}", format, option.name)});
    }
  }
  if (!faults.empty()) {
    throw ConfigError(std::move(faults));
  }
}

MeasuredLog read_table(const RadioLogOptions& options, std::string_view content) {
  refuse(options, "read as a table because of --columns",
         {{"--use", options.value.has_value()},
          {"--track", !options.track.empty()},
          {"--positions", !options.positions.empty()},
          {"--positions-zero", options.positions_zero.has_value()},
          {"--link", !options.link.empty()}});
  LogColumns columns = *options.columns;
  columns.other_end = options.station;
  columns.no_level = options.no_level;
  return read_measured_log(content, options.log, columns);
}

MeasuredLog read_record_of(const RadioLogOptions& options) {
  refuse(options, "a record",
         {{"--at", options.station.has_value()},
          {"--no-level", options.no_level.has_value()},
          {"--track", !options.track.empty()},
          {"--positions", !options.positions.empty()},
          {"--positions-zero", options.positions_zero.has_value()}});
  return recorded_rows(options);
}

MeasuredLog read_iperf(const RadioLogOptions& options, std::string_view content) {
  refuse(options, "iperf3's JSON",
         {{"--use", options.value.has_value()},
          {"--no-level", options.no_level.has_value()},
          {"--link", !options.link.empty()}});
  if (options.positions.empty()) {
    throw ConfigError({{options.log, 0, "",
                        "is iperf3's JSON, which has no positions; name a log that has, with "
                        "--positions flight.gpx"}});
  }
  return iperf_rows(content, read_log(options.positions), options);
}

MeasuredLog read_vehicle(const RadioLogOptions& options, std::string_view content) {
  refuse(options, "a vehicle's log",
         {{"--no-level", options.no_level.has_value()},
          {"--positions", !options.positions.empty()},
          {"--positions-zero", options.positions_zero.has_value()},
          {"--link", !options.link.empty()}});
  return vehicle_rows(parse_log(content, options.log), options);
}

}  // namespace

RadioValue parse_radio_value(std::string_view text) {
  std::vector<std::string> known;
  for (const auto& [name, value] : kRadioValues) {
    if (name == text) {
      return value;
    }
    known.emplace_back(name);
  }
  throw std::invalid_argument(
      fmt::format("'{}' is no level of a log; {}", shown(text), hint_for(std::string(text), known)));
}

MeasuredLog read_radio_log(const RadioLogOptions& options) {
  if (!options.columns && std::filesystem::is_directory(options.log)) {
    return read_record_of(options);
  }
  std::string content;
  try {
    content = read_plain_file(options.log, {.most_bytes = kMostOfLog});
  } catch (const PlainFileError& error) {
    throw ConfigError({{options.log, 0, "", error.why()}});
  }
  if (options.columns) {
    return read_table(options, content);
  }
  if (content.starts_with(kMcapMagic)) {
    return read_record_of(options);
  }
  if (is_iperf_log(content)) {
    return read_iperf(options, content);
  }
  if (has_radio_status(content)) {
    return read_vehicle(options, content);
  }
  throw ConfigError({{options.log, 0, "",
                      "is no ULog, MAVLink telemetry log, DataFlash log, JSON of iperf3 or record of a run; of a table "
                      "name the columns: --columns time=t,distance=d,level=rssi"}});
}

}  // namespace hilgate
