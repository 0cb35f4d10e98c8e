// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "rf_profiles/terrain/itm_diffraction.h"

namespace hilgate {

/// The loss above that of free space by scatter in the troposphere, at any distance (ITM, 4.3); nothing where
/// antennas are too low for it.
std::optional<LossLine> itm_scatter_line(const ItmPath& path);

}  // namespace hilgate
