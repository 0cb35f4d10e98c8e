// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/conditions/condition.h"
#include "physics_link/scene.h"

namespace hilgate {

/// What is wrong with a place for a radio: within a solid obstacle or under the ground; empty when nothing is. Path
/// loss models take z = 0 for the ground.
[[nodiscard]] std::string fault_of_place(const Configuration& configuration, const Vec3& place);

/// Robots at such places in a scene.
void find_place_conditions(const Configuration& configuration, const Scene& scene, std::vector<Condition>& found);

}  // namespace hilgate
