// SPDX-License-Identifier: Apache-2.0
// What commands that make labs share.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/lab/lab.h"

namespace hilgate {

/// For a gateway that starts, until its control socket answers: maps take their time.
inline constexpr std::chrono::seconds kRunPatience{60};

/// Throws std::runtime_error where this process may not make network namespaces; `command` is for the message.
void require_lab_rights(const std::string& command);

/// Makes what is missing of the lab; warns of what the host has too little of. Throws ConfigError or
/// std::runtime_error.
LabUp make_lab(const Configuration& configuration, const LabPlan& plan);

/// The user's shell, as a command.
std::vector<std::string> shell_command();

/// CLI11 2.1 leaves the separator in front of the words that it separates.
void drop_separator(std::vector<std::string>& command);

}  // namespace hilgate
