// SPDX-License-Identifier: Apache-2.0
// hilgate survey: computes the databases of a map on all processors, with progress, and resumes where it was stopped.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace hilgate {

struct SurveyCommand {
  std::string map;       // YAML, see grid_map.h and surveyed_floors.h
  std::string output;    // empty: next to the map, with the ending .survey
  unsigned threads = 0;  // 0: as many as there are processors
  std::uint32_t block = 4;
  std::uint32_t rays = 720;
  std::uint32_t reflections = 3;
};

/// Returns the exit status: 0, or 2 with a line on `err` when map or file cannot be used. Progress goes to `out`.
int survey_command(const SurveyCommand& command, std::ostream& out, std::ostream& err);

}  // namespace hilgate
