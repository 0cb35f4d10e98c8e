// SPDX-License-Identifier: Apache-2.0
// How CORNET and the older co-simulators write positions, decoded. Nothing here does I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "physics_link/feeds/position_feed.h"

namespace hilgate {

/// CORNET 2.0 (3.1): set.<node>.setPosition("<x>,<y>,<z>"), as mininet-wifi's socket server takes it. Some senders put
/// single quotes inside the double ones. `reply` is what mininet-wifi answers.
struct Cornet2Command {
  std::optional<NamedPosition> position;
  std::string_view reply;
};
Cornet2Command parse_cornet2(std::string_view command);

/// CORNET of 2026 (3.3), one line of the positions socket: {"name", "x", "y", "z"}; missing coordinates are 0.
std::optional<NamedPosition> parse_cornet_position(std::string_view line);
/// One line of its clock socket: {"t": seconds}.
std::optional<SimTime> parse_cornet_clock(std::string_view line);

/// FlyNetSim (4): @@@U_<id3>***DISTANCE***<x>***<y>***; the robot's name is the three digits. Other messages: empty.
std::optional<NamedPosition> parse_flynetsim(std::string_view message);

/// AVENS (6): the attributes of each Aircraft under FANET, in the order of the file; names count from "0". Empty when
/// the text is no such file.
std::optional<std::vector<NamedPosition>> parse_avens(const std::string& xml);

}  // namespace hilgate
