// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rf_profiles/terrain/p1812_path.h"

namespace hilgate {

/// Delta-Bullington diffraction over an earth of that effective radius, in dB above free space (P.1812, 4.3.1 to
/// 4.3.4).
double p1812_diffraction_db(const P1812Path& path, double earth_km, Polarization polarization);

}  // namespace hilgate
