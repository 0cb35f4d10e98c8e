// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace hilgate {

/// Attaches an XDP program that passes every frame to an interface of the calling thread's namespace.
///
/// A veth end takes frames that were redirected to its peer by XDP only while it polls (NAPI), which it does while
/// it has a program of its own. The program stays with the interface and needs no process. Attaching turns GRO on
/// (the kernel's veth driver does), so turn offloads off afterwards. Throws std::runtime_error.
void attach_pass_program(const std::string& interface);

}  // namespace hilgate
