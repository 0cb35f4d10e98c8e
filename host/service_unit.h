// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace hilgate {

/// The systemd service that a process belongs to, "hilgate@lab.service", by its control group; empty when it belongs
/// to none, or to one that cannot be seen from here.
[[nodiscard]] std::string service_unit(pid_t process);

/// The same of the text of /proc/PID/cgroup (cgroups(7)).
[[nodiscard]] std::string service_unit_in(std::string_view cgroups);

}  // namespace hilgate
