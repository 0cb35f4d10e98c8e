// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "xdp/interface.h"
#include "xdp/kernel_path.h"

namespace hilgate {

/// The XDP program of an interface.
struct AttachedProgram {
  std::uint32_t id = 0;  // the kernel's; 0: no program
  bool native = false;   // it runs in the driver
};

/// Asks the kernel about the interface of this number alone; bpf_xdp_query() has it list all interfaces.
AttachedProgram attached_program(unsigned interface);

/// Whose XDP program an interface has, and how to free it; empty when it has none.
std::optional<std::string> who_is_attached(const Interface& interface);

/// As who_is_attached(), and empty also where a program of `kernel` takes over what is there. Costs a few system calls,
/// where loading a program to find out costs milliseconds.
std::optional<std::string> who_keeps_out(const Interface& interface, const KernelPath* kernel);

/// Why native mode is not to be used with an interface's driver although the driver takes a program; empty for others.
std::optional<std::string> native_defect(const Interface& interface);

/// Why the kernel refused to attach an XDP program to an interface with this errno, and what to do.
std::string why_not_attached(int error, const Interface& interface);

}  // namespace hilgate
