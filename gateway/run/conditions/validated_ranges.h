// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/conditions/conditions.h"
#include "physics_link/scene.h"
#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

/// Links that are shorter or longer than the distances at which the path loss of their profiles was compared
/// (docs/validation). Horizontal distances; links within one medium, of the embedded network simulator. Control thread.
class ValidatedRanges {
 public:
  /// Throws what reading radio profiles throws.
  explicit ValidatedRanges(const Configuration& configuration);

  /// One condition, `outside_validation`, about all of them.
  void find(const Scene& scene, std::vector<Condition>& found) const;

 private:
  struct Radio {
    std::string robot;
    std::string profile;
    std::string domain;
    Validation validation;
  };
  std::vector<std::optional<Radio>> radios_;  // by robot; none without a profile
};

}  // namespace hilgate
