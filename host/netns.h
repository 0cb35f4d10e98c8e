// SPDX-License-Identifier: Apache-2.0
// Named network namespaces, as iproute2 keeps them under /run/netns.
#pragma once

#include <cstdint>
#include <string>

#include "host/file_descriptor.h"

namespace hilgate {

/// True when /run/netns/<name> exists.
bool netns_exists(const std::string& name);

/// The kernel's cookie of this namespace, which differs from all others since the machine started, also from those that
/// had or will have its name (inodes are used again at once); 0 when the name leads to no namespace (any more).
/// Throws std::runtime_error as NetnsScope, and where the kernel knows no cookies (before 5.14).
std::uint64_t netns_cookie(const std::string& name);

/// Throws std::runtime_error when namespaces named by this process would be invisible to other processes and vanish
/// with it, because its mounts do not reach the rest of the machine: so it is within `ip netns exec`.
void require_lasting_netns();

/// Moves the calling thread into a network namespace and back at the end of the scope. /proc/sys/net follows the
/// thread, sockets opened inside stay inside.
class NetnsScope {
 public:
  /// Throws std::runtime_error when there is no such namespace, or CAP_SYS_ADMIN is missing.
  explicit NetnsScope(const std::string& name);
  /// As above, with a namespace that has no name.
  explicit NetnsScope(const FileDescriptor& netns);
  ~NetnsScope();
  NetnsScope(const NetnsScope&) = delete;
  NetnsScope& operator=(const NetnsScope&) = delete;

 private:
  FileDescriptor before_;
};

/// Moves the calling process into a namespace for good: network, and /sys to match, as `ip netns exec` does it.
/// Throws std::runtime_error as NetnsScope.
void enter_netns(const std::string& name);

/// After enter_netns(): lets this process, and those that it starts, read `text` in a file that is there, for others
/// unchanged. Throws std::runtime_error.
void show_in_file(const std::string& path, const std::string& text);

}  // namespace hilgate
