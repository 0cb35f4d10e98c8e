// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// hilgate doctor: is this host fit for a gateway, and what to do about it.

namespace hilgate {

struct DoctorOptions {
  std::filesystem::path file;  // a configuration whose ports are looked at; empty: the host alone
  bool json = false;
  bool fix = false;      // first change what is safe to change
  bool service = false;  // look as the service of the configuration does; without `fix`
};

/// Prints what it finds: lines for people, or one JSON object. 0 when nothing fails, 1 otherwise. Throws ConfigError
/// for a configuration with faults, std::runtime_error where the service cannot be asked.
int doctor_command(const DoctorOptions& options);

/// `hilgate doctor --service`: has systemd run the doctor as the unit of a configuration runs its gateway, with its
/// user, rights and sandbox, drop-ins included; becomes systemd-run. Throws std::runtime_error with the reason.
[[noreturn]] void become_doctor_of_service(const DoctorOptions& options);

/// What of a unit's text (`systemctl cat`) is about how its processes run: "KEY=VALUE" each, in order; not what is
/// started, when, and how it is watched.
[[nodiscard]] std::vector<std::string> process_settings(std::string_view unit);

}  // namespace hilgate
