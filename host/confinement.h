// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
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

/// As confine({}), for a program that reads files of strangers and writes to descriptors that it has: in addition it
/// makes no socket and no process, opens no file for writing, changes and removes none, and signals no other process.
/// It has so much memory (address space; not with sanitizers, which need more) and so much time of a processor, after
/// which SIGXCPU ends it. Throws std::system_error.
void confine_reader(std::uint64_t memory_bytes, std::chrono::seconds processor);

}  // namespace hilgate
