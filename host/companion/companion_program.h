// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace hilgate {

/// The path of another of our programs that has a package of its own: next to this one, in a build tree as in an
/// installation. Throws std::runtime_error, which names `who` as needing it, when it is missing.
std::string companion_program(const std::string& name, const std::string& who);

/// Becomes that program, with one argument. Throws std::system_error where it cannot.
[[noreturn]] void become(const std::string& program, const std::string& argument);

}  // namespace hilgate
