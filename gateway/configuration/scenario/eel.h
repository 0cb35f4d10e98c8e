// SPDX-License-Identifier: Apache-2.0
// Emulation Event Logs, the text files that drive EMANE: a line for each event, TIME nem:ID TYPE ARGUMENTS.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "physics_link/scene.h"

namespace hilgate {

/// What EMANE's utility model CommEffect does to frames that `to` receives from `from`.
struct CommEffect {
  std::uint32_t from = 0, to = 0;
  Nanoseconds latency{0};
  Nanoseconds jitter{0};  // a frame takes up to so much less, or more
  double loss_percent = 0;
  double duplicate_percent = 0;
  double unicast_bps = 0;  // 0: no limit
};

/// What frames lose on their way from `from` to `to`.
struct EelPathLoss {
  std::uint32_t from = 0, to = 0;
  double loss_db = 0;
};

struct EelPlace {
  Nanoseconds at{0};
  Vec3 position;  // m
};

/// The events of a file that hilgate has a counterpart for; NEMs by their numbers.
struct EelEvents {
  std::map<std::uint32_t, std::vector<EelPlace>> places;  // in order of time
  std::map<Nanoseconds, std::vector<CommEffect>> effects;
  std::map<Nanoseconds, std::vector<EelPathLoss>> path_losses;
  std::map<std::string, std::uint64_t> left_out;  // events of other types
  bool limits_broadcast = false;                  // some effect limits broadcast frames in a way of their own
};

/// Reads `text` of `file`. Geodetic positions become metres east, north and up of the first one. Throws ConfigError
/// with every invalid line.
EelEvents read_eel(const std::string& text, const std::string& file);

/// Whether a text is such a log: its first line with anything on it is an event.
bool is_eel(std::string_view text);

/// The same as YAML of a scenario, without values that are in force already. `robots`: names of NEMs; others are called
/// nemN. `file` is named in it.
std::string eel_scenario(const EelEvents& events, const std::map<std::uint32_t, std::string>& robots,
                         const std::string& file);

}  // namespace hilgate
