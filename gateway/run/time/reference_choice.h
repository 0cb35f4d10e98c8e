// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clock/reference/reference_options.h"
#include "gateway/configuration/configuration.h"

namespace hilgate {

/// The reference that a configuration means on this machine, now: with source `auto` ptp4l where its socket is, else
/// the system's clock where the kernel reports that it is disciplined, else none; with `phc` and no device the clock
/// of the first port that has one. Throws std::runtime_error when no port has.
ReferenceOptions chosen_reference(const Configuration& configuration);

}  // namespace hilgate
