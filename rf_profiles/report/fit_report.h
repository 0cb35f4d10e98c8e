// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "rf_profiles/fit/link_fit.h"

namespace hilgate {

/// What a fit has found, for people: the models that were compared, measured against fitted by distance, what varies,
/// reception by level, and what the log does not determine.
std::string fit_report(const std::string& log, const std::string& base_id, const LinkFit& fit);

}  // namespace hilgate
