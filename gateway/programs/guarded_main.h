// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace hilgate {

/// Handles all errors of a program: runs `body` and returns its exit status; an exception becomes lines on standard
/// error, or errors in the journal, and the status that scripts rely on: 2 for a configuration or command that is wrong
/// (ConfigError), else 1.
int guarded_main(std::string_view program, const std::function<int()>& body);

}  // namespace hilgate
