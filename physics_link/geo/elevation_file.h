// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics_link/geo/geo_scene.h"

namespace hilgate {

/// The heights of a raster file within the question's radius, by GDAL, as a grid in the frame of its origin with posts
/// as dense as the file's. Heights of the file are metres above sea level, as origin.alt_m. Throws GeoFault for files
/// that are no such rasters, have no coordinate reference system, are not laid north-up, miss heights, have too many,
/// or do not cover the origin.
GeoTerrain read_elevation_file(const GeoQuestion& question);

}  // namespace hilgate
