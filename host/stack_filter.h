// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "host/file_descriptor.h"

namespace hilgate {

/// Keeps the kernel's network stack from hearing what comes in on interfaces of given names, also before they are
/// there: rules of nf_tables for IP and ARP, in tables that the kernel takes away with this object or its process. One
/// thread; for the network namespace that it was made in.
class StackFilter {
 public:
  /// No interface yet. Throws std::system_error.
  StackFilter();

  /// From here on these interfaces and no others, in one step. Throws std::system_error, and nothing has changed, when
  /// the kernel has no nf_tables or the rights are missing.
  void drop_from(const std::set<std::string>& interfaces);

 private:
  FileDescriptor socket_;
  std::string table_;  // its name; no other process has it
  std::set<std::string> dropped_{};
};

}  // namespace hilgate
