// SPDX-License-Identifier: Apache-2.0
// Diffraction over one edge, ITU-R P.526; reflection off a wall at a grazing angle.
#pragma once

#include "config/units.h"

namespace hilgate {

/// The Fresnel-Kirchhoff parameter of an edge `height_m` above the direct ray (negative: below it).
double edge_parameter(double height_m, double d1_m, double d2_m, Hertz frequency);

/// P.526's approximation, within 0.13 dB for -0.78 <= nu <= 5; 0 below.
Decibels knife_edge_loss(double nu);
/// From the Fresnel integrals.
Decibels knife_edge_loss_exact(double nu);

/// Amplitude reflected, as Shell and Mataric have it: angle from the surface, field normal to the plane of incidence.
double grazing_reflection(double permittivity, double grazing_rad);

}  // namespace hilgate
