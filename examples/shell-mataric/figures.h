// SPDX-License-Identifier: Apache-2.0
// The data of the example's four plots, from the models that a run takes its link states from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rf_profiles/profile/radio_profile.h"
#include "rf_profiles/survey/survey.h"

namespace hilgate {

struct Figure {
  std::string name;                  // of the file, without ending
  std::vector<std::string> columns;  // with units
  std::vector<int> decimals;         // of each column
  std::vector<std::vector<double>> rows;
};

/// Figures 2, 4, 6 and 7 for a building laid out as the example's.
std::vector<Figure> building_figures(const std::shared_ptr<const Survey>& survey,
                                     const std::shared_ptr<const RadioProfile>& radio);

}  // namespace hilgate
