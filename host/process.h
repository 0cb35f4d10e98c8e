// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace hilgate {

/// How another program ended and what it said.
struct ProcessResult {
  int status = 0;      // exit status; 128 + signal when a signal ended it
  std::string errors;  // standard error, trailing newline removed
};

/// Runs a program found through PATH to its end, standard output discarded. No shell is involved: arguments are
/// passed as they are. Throws std::runtime_error when it cannot be started.
ProcessResult run_process(std::span<const std::string> arguments);

/// What a program printed, errors included, without the last newline. Throws std::runtime_error as run_or_throw().
std::string run_for_output(const std::vector<std::string>& arguments);

/// As run_process(), but a status other than 0 is a std::runtime_error that names the command and what it said.
void run_or_throw(const std::vector<std::string>& arguments);

}  // namespace hilgate
