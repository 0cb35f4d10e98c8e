// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gateway/configuration/configuration.h"
#include "rf_profiles/propagation/material.h"

namespace hilgate {

/// What obstacles are made of, by the places that they name.
std::vector<Material> materials_of(const Configuration& configuration);

}  // namespace hilgate
