// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/commands/doctor.h"

namespace hilgate {

/// `hilgate doctor --service`: has systemd run the doctor as the unit of a configuration runs its gateway, with its
/// user, rights and sandbox, drop-ins included; becomes systemd-run. Throws std::runtime_error that says why not.
[[noreturn]] void become_doctor_of_service(const DoctorOptions& options);

/// What of a unit's text (`systemctl cat`) is about how its processes run: "KEY=VALUE" each, in order; not what is
/// started, when, and how it is watched.
[[nodiscard]] std::vector<std::string> process_settings(std::string_view unit);

}  // namespace hilgate
