// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace hilgate::test {

/// What a process holds of the system, as /proc says it.
struct Holdings {
  std::size_t descriptors = 0;
  std::size_t threads = 0;
  std::size_t resident_kib = 0;
  std::set<std::uint32_t> programs{}, maps{};  // of BPF, by their numbers in the kernel

  static Holdings of(pid_t process);
};

/// How much resident memory may have grown and still be nobody's leak: pages touched late, and with AddressSanitizer
/// what has been freed and waits in its quarantine.
std::size_t kib_of_slack();

/// The programs and maps of these that the kernel still has.
std::vector<std::string> alive_in_kernel(const Holdings& of);

/// Namespaces that `ip netns` knows.
std::set<std::string> network_namespaces();

}  // namespace hilgate::test
