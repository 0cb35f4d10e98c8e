// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rf_profiles/terrain/itm_path.h"

namespace hilgate {

/// The loss above that of free space that is not exceeded in the link's percentages, of the median `reference_db`
/// (ITM, section 5).
double itm_exceeded_db(const ItmPath& path, const ItmLink& link, double reference_db);

}  // namespace hilgate
