// SPDX-License-Identifier: Apache-2.0
// Robots, obstacles and links as entities of foxglove.SceneUpdate in JSON: of records and of running gateways.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "clock/time.h"

namespace hilgate {

using SceneJson = nlohmann::ordered_json;
using ScenePlace = std::array<double, 3>;  // m

inline constexpr const char* kSceneFrame = "map";  // whose coordinates are those of physics
inline constexpr const char* kSceneSchemaName = "foxglove.SceneUpdate";
/// What readers need of Foxglove's schema to decode the messages.
extern const char* const kSceneSchema;

SceneJson scene_point(const ScenePlace& at);
/// {"sec", "nsec"} of an instant, as all of Foxglove's schemas have them.
SceneJson scene_time(Nanoseconds at);

/// A ball with the robot's name over it.
SceneJson robot_entity(const std::string& name, const ScenePlace& at, Nanoseconds now);
/// A box along the axes.
SceneJson box_entity(const std::string& name, const ScenePlace& low, const ScenePlace& high, Nanoseconds now);
/// All links, none at first.
SceneJson links_entity(Nanoseconds now);
/// Adds a link to links_entity(): from green, nothing lost, by yellow to red, all of it. `loss`: [0, 1].
void add_link(SceneJson& links, const std::string& name, const ScenePlace& from, const ScenePlace& to, double loss);

/// The message. Text that is no UTF-8 is replaced.
std::string scene_update(const std::vector<SceneJson>& entities);

}  // namespace hilgate
