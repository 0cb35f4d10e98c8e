// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fading/tdl_fading.h"

#include <utility>
#include <vector>

#include "config/yaml_reader.h"
#include "rf_profiles/fading/tdl_profile.h"

namespace hilgate {

void TdlFading::read(YamlReader& law) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const TdlProfile& profile : tdl_profiles()) {
    lines.emplace_back(profile.name, profile.name);
  }
  line = law.choice<std::string>("line", lines, {"TDL-A"});
}

FadingWaves TdlFading::waves() const {
  const TdlProfile& profile = tdl_profile(line);
  FadingWaves waves{.taps = profile.powers()};
  if (profile.line_of_sight) {
    waves.steady = waves.taps.front();
    waves.taps.erase(waves.taps.begin());
  }
  return waves;
}

}  // namespace hilgate
