// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "clock/time.h"

namespace hilgate {

struct MapOptions {
  std::filesystem::path file;    // configuration
  std::filesystem::path output;  // .svg or .png; empty: SVG on standard output
  enum class Show : std::uint8_t { kSnr, kLoss, kNothing } show = Show::kSnr;
  std::string from{};                // robot or access point that sends; empty: the first that can
  std::string radio{};               // profile of the receiver; empty: the sender's own
  double height_m = 1;               // of the receiver
  std::optional<double> cell_m{};    // absent: as fits the picture
  std::optional<double> margin_m{};  // around what is drawn; absent: a tenth of it
  Nanoseconds at{0};                 // simulation time at which robots are drawn
};

/// `hilgate map`: draws the scene of a configuration. Returns the exit status. Throws ConfigError, and
/// std::runtime_error where there is nothing to draw, or not so.
int map_command(const MapOptions& options);

}  // namespace hilgate
