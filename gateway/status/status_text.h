// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace hilgate {

/// A list of names for people: "red, blue".
inline std::string names_text(const nlohmann::ordered_json& names) {
  std::string text;
  for (const nlohmann::ordered_json& name : names) {
    text += (text.empty() ? "" : ", ") + name.get<std::string>();
  }
  return text;
}

/// MAVLink systems, where vehicles are, and radio status sent, for people; empty without telemetry.
std::string mavlink_text(const nlohmann::ordered_json& status);

/// Participants of DDS; empty when they are not observed.
std::string dds_text(const nlohmann::ordered_json& status);

/// What positions are sent as: GNSS to robots, Cursor on Target to others; empty without both.
std::string positions_text(const nlohmann::ordered_json& status);

/// Sessions of DLEP with robots' routers, a line each; empty without.
std::string dlep_text(const nlohmann::ordered_json& status);

}  // namespace hilgate
