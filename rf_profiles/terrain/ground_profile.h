// SPDX-License-Identifier: Apache-2.0
// From the ground of a scene to the profile that models over terrain take.
#pragma once

#include "config/units.h"
#include "physics_link/height_grid.h"
#include "rf_profiles/terrain/terrain_profile.h"

namespace hilgate {

/// The ground along the straight line over it from one point to another, above sea level, at equal steps no longer than
/// those of the grid, five heights at least and 2000 at most.
TerrainProfile ground_profile(const HeightGrid& ground, const Vec3& from, const Vec3& to);

/// Diffraction over the ground between two points where it blocks their line of sight: all that rises into the line as
/// one edge, where the steepest rays from both ends meet (K. Bullington, 1947; ITU-R P.526-15, 4.5.1, without its
/// empirical correction, which belongs to free space alone); at least 6 dB. Zero where the line is free.
Decibels ground_edge_loss(const HeightGrid& ground, const Vec3& from, const Vec3& to, Hertz frequency);

}  // namespace hilgate
