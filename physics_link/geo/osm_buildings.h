// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics_link/geo/geo_scene.h"

namespace hilgate {

/// The buildings of a file of OpenStreetMap, by libosmium: closed ways and multipolygons with the tag `building`, in
/// the frame of the question's origin, on ground at z = 0. Throws GeoFault for files that are not of OpenStreetMap, or
/// without a building within the radius, or with too many.
GeoScene read_osm_buildings(const GeoQuestion& question);

}  // namespace hilgate
