// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace hilgate {

/// The output of a program: the one of that name next to this program, else the one on PATH, run to its end without a
/// shell. Throws std::runtime_error when it is missing or its exit status is not 0.
std::string output_of_program(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace hilgate
