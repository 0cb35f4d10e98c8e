// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "host/capabilities.h"

namespace hilgate {

/// Gives up for good what the calling thread, and threads that it starts, will not need: all capabilities but `keep` of
/// those that it has, and system calls that a program uses to become another one, to see into others, or to change the
/// machine: execve, mounts, namespaces, modules, keys, users. These fail with EPERM from now on. Throws
/// std::system_error. ptrace() stays: leak detectors use it, and without CAP_SYS_PTRACE it reaches no process that has
/// more rights.
void confine(std::span<const Capability> keep);

}  // namespace hilgate
