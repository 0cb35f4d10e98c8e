// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hilgate {

/// The XDP program of an interface.
struct AttachedProgram {
  std::uint32_t id = 0;  // the kernel's; 0: no program
  bool native = false;   // it runs in the driver
};

/// Asks the kernel about the interface of this number alone; bpf_xdp_query() has it list all interfaces.
AttachedProgram attached_program(unsigned interface);

}  // namespace hilgate
