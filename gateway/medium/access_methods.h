// SPDX-License-Identifier: Apache-2.0
// The ways of medium access that there are.
#pragma once

#include <memory>
#include <string>

#include "gateway/medium/access_method.h"
#include "netsim_link/air_plan.h"

namespace hilgate {

/// A domain without members. `transmitters` must outlive it.
std::unique_ptr<AccessMethod> make_access_method(const AirDomain& rules, Transmitters& transmitters);

/// For people.
std::string access_text(const AirDomain& rules);

}  // namespace hilgate
