// SPDX-License-Identifier: Apache-2.0
#include "gateway/radio_log/radio_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/config_file.h"
#include "gateway/radio_log/station_track.h"
#include "physics_link/mavlink/messages.h"

namespace hilgate {
namespace {

bool is_level(std::uint8_t value) {
  return value != 0 && value != mavlink::kUnknownLevel;
}

std::optional<double> level_of(const mavlink::RadioStatus& status, RadioValue value) {
  const bool remote = value == RadioValue::kRemoteRssi || value == RadioValue::kRemoteSnr;
  const bool is_snr = value == RadioValue::kSnr || value == RadioValue::kRemoteSnr;
  const std::uint8_t rssi = remote ? status.remrssi : status.rssi;
  const std::uint8_t noise = remote ? status.remnoise : status.noise;
  if (!is_level(rssi) || (is_snr && !is_level(noise))) {
    return std::nullopt;
  }
  return mavlink::sik_dbm(rssi) - (is_snr ? mavlink::sik_dbm(noise) : 0);
}

std::string_view meaning_of(RadioValue value) {
  switch (value) {
    case RadioValue::kRssi:
      return "rssi: what the radio that reported it received";
    case RadioValue::kSnr:
      return "rssi less noise at the radio that reported it";
    case RadioValue::kRemoteRssi:
      return "remrssi: what the other end's radio received";
    case RadioValue::kRemoteSnr:
      return "remrssi less remnoise at the other end's radio";
  }
  return "";
}

}  // namespace

MeasuredLog vehicle_rows(const TrackLog& log, const RadioLogOptions& options) {
  if (!log.radio || log.radio->samples.empty()) {
    throw ConfigError({{log.file, 0, "",
                        "has no RADIO_STATUS (ULog: radio_status; DataFlash: RAD), and so no level of a radio; "
                        "`hilgate track show` lists what it has"}});
  }
  const RadioValue value = options.value.value_or(RadioValue::kRssi);
  StationTrack track(log, options.track, options.station);
  std::vector<RadioSample> samples = log.radio->samples;
  std::ranges::stable_sort(samples, {}, &RadioSample::at);
  MeasuredLog out{.rows = {},
                  .is_snr = value == RadioValue::kSnr || value == RadioValue::kRemoteSnr,
                  .has_heights = true,
                  .has_positions = true,
                  .has_times = true,
                  .row_name = "RADIO_STATUS"};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    MeasuredRow row{.line = static_cast<int>(i) + 1, .pair = {}, .level_db = level_of(samples[i].status, value)};
    if (track.place(samples[i].at, row)) {
      out.rows.push_back(row);
    }
  }
  out.notes.push_back(fmt::format("{}: {} RADIO_STATUS; the level is {}, by SiK's scale: dBm = value / 1.9 - 127",
                                  log.format, samples.size(), meaning_of(value)));
  std::ranges::copy(track.notes(), std::back_inserter(out.notes));
  std::ranges::copy(log.notes, std::back_inserter(out.notes));
  return out;
}

}  // namespace hilgate
