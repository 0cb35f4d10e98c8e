// SPDX-License-Identifier: Apache-2.0
// hilgate doctor: is this host fit for a gateway, and what to do about it.
#pragma once

#include <filesystem>

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

}  // namespace hilgate
