// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace hilgate {

/// Sets an interface of the calling thread's network namespace up. Throws std::runtime_error.
void set_interface_up(const std::string& interface);

}  // namespace hilgate
