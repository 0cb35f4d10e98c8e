// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "xdp/interface.h"

namespace hilgate {

/// Why the kernel refused to attach an XDP program to an interface with this errno, and what to do.
std::string why_not_attached(int error, const Interface& interface);

}  // namespace hilgate
