// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "rf_profiles/fit/link_fit.h"
#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

/// What a fit has found, for people: the models that were compared, measured against fitted by distance, what varies,
/// reception by level, throughput by distance against what the base has there, and what the log does not determine.
std::string fit_report(const std::string& log, const RadioProfile& base, const LinkFit& fit);

}  // namespace hilgate
