// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "physics_link/tracklog/log_time.h"

namespace hilgate::cot::test {

/// events/NAME.xml: an event that another program wrote.
inline std::string event_file(const std::string& name) {
  std::ifstream file(std::string(HILGATE_SOURCE_DIR) + "/tests/physics_link/cot/events/" + name + ".xml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.empty()) {
    throw std::runtime_error("there is no event " + name);
  }
  return text;
}

/// `text` with the first `from` in it replaced by `to`.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) {
    throw std::runtime_error("'" + from + "' is not in the text");
  }
  return text.replace(at, from.size(), to);
}

/// When the events of drone.xml and phone.xml are valid.
inline Nanoseconds while_valid() {
  return *utc_of_text("2026-11-29T12:00:01Z");
}

}  // namespace hilgate::cot::test
