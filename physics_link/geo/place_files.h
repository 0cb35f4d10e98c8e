// SPDX-License-Identifier: Apache-2.0
// What hilgate-place reads: buildings and heights.
#pragma once

#include "physics_link/geo/geo_scene.h"

namespace hilgate {

/// The buildings of a file of OpenStreetMap, by libosmium: closed ways and multipolygons with the tag `building`, in
/// the frame of the question's origin, on ground at z = 0. Throws GeoFault for files that are not of OpenStreetMap, or
/// without a building within the radius, or with too many.
GeoScene read_osm_buildings(const GeoQuestion& question);

/// The heights of a raster file within the question's radius, by GDAL, as a grid in the frame of its origin with posts
/// as dense as the file's. Heights of the file are metres above sea level, as origin.alt_m. Throws GeoFault for files
/// that are no such rasters, have no coordinate reference system, are not laid north-up, miss heights, have too many,
/// or do not cover the origin.
GeoTerrain read_elevation_file(const GeoQuestion& question);

}  // namespace hilgate
