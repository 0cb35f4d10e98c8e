// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hilgate {

/// A Linux capability by number and name; see capabilities(7).
struct Capability {
  int number;
  std::string_view name;
};

/// Those of `needed` that this process lacks, "CAP_A and CAP_B"; empty when it has all.
std::string missing_capabilities(std::span<const Capability> needed);

/// Throws std::runtime_error, naming those of `needed` that this process lacks and how to give them. `what` begins the
/// sentence: "hilgate lab up".
void require_capabilities(std::string_view what, std::span<const Capability> needed);

/// Gives up for good what the calling thread, and threads that it starts, will not need: all capabilities but `keep` of
/// those that it has, and system calls that a program uses to become another one, to see into others, or to change the
/// machine: execve, mounts, namespaces, modules, keys, users. These fail with EPERM from now on. Throws
/// std::system_error. ptrace() stays: leak detectors use it, and without CAP_SYS_PTRACE it reaches no process that has
/// more rights.
void confine(std::span<const Capability> keep);

}  // namespace hilgate
