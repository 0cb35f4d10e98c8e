// SPDX-License-Identifier: Apache-2.0
// The data of the example's maps and rays (Figs. 2 to 4 of the paper), from the models that a run takes its link states
// from. No survey is needed: there are few senders.
#pragma once

#include <string>
#include <vector>

#include "rf_profiles/profile/radio_profile.h"
#include "rf_profiles/survey/grid_map.h"

namespace hilgate {

struct Figure {
  std::string name;                  // of the file, without ending
  std::vector<std::string> columns;  // with units
  std::vector<int> decimals;         // of each column
  std::vector<std::vector<double>> rows;
};

/// Figures 2, 3 (rays; shape factors) and 4 for a building laid out as the example's.
std::vector<Figure> building_figures(const GridMap& map, const RadioProfile& radio);

}  // namespace hilgate
