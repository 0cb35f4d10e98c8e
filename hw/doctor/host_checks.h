// SPDX-License-Identifier: Apache-2.0
// What is checked of a host, whatever the configuration. Each adds its findings.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/doctor/finding.h"
#include "hw/doctor/host_files.h"

namespace hilgate {

/// Processors, those kept free, idle states and frequencies, TSC and clocksource. `cpu`: of the packet path, if that is
/// configured.
void check_processors(const HostFiles& host, std::optional<std::uint32_t> cpu, Findings& findings);
/// Kernel, BTF, AF_XDP, BPF's compiler, backlog.
void check_kernel(const HostFiles& host, Findings& findings);
/// Huge pages and what may be locked.
void check_memory(const HostFiles& host, Findings& findings);
/// The rights of this process.
void check_rights(Findings& findings);
/// Hardware clocks and linuxptp.
void check_clocks(const HostFiles& host, Findings& findings);

}  // namespace hilgate
