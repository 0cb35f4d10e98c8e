// SPDX-License-Identifier: Apache-2.0
// Question and answer between the gateway and hilgate-place: JSON, one document each.
#pragma once

#include <string>

#include "physics_link/geo/geo_scene.h"

namespace hilgate {

std::string geo_question_text(const GeoQuestion& question);
/// Throws std::runtime_error for what geo_question_text() does not write.
GeoQuestion parse_geo_question(const std::string& text);

std::string geo_scene_text(const GeoScene& scene);
std::string geo_fault_text(const GeoFault& fault);
/// Strict, because who wrote it had read files of strangers: throws std::runtime_error for keys that are unknown or
/// missing, for numbers that are not finite or out of bounds, for outlines of fewer than three points, for buildings
/// without height and for grids of another size than they say. Throws GeoFault when it is one.
GeoScene parse_geo_scene(const std::string& text);

}  // namespace hilgate
