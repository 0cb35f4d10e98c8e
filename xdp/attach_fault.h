// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "xdp/interface.h"

namespace hilgate {

/// Whose XDP program an interface has, and how to free it; empty when it has none.
std::optional<std::string> who_is_attached(const Interface& interface);

/// Why the kernel refused to attach an XDP program to an interface with this errno, and what to do.
std::string why_not_attached(int error, const Interface& interface);

}  // namespace hilgate
