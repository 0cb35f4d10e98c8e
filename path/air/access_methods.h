// SPDX-License-Identifier: Apache-2.0
// The ways of medium access that there are.
#pragma once

#include <memory>
#include <string>

#include "netsim_link/air_plan.h"
#include "path/air/access_method.h"

namespace hilgate {

/// A domain without members. `transmitters` must outlive it.
std::unique_ptr<AccessMethod> make_access_method(const AirDomain& rules, Transmitters& transmitters);

/// For people.
std::string access_text(const AirDomain& rules);

}  // namespace hilgate
