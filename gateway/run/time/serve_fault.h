// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "gateway/configuration/configuration.h"

namespace hilgate {

/// What a port's interface, which is there, lacks for serving time over PTP, and what to do; empty when nothing.
std::string serve_fault(const ServeConfig& serve, const std::string& port, const std::string& interface);

}  // namespace hilgate
