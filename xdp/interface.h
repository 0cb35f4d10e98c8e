// SPDX-License-Identifier: Apache-2.0
// What a port needs to know of a network interface, asked of the kernel in the calling thread's network namespace.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/file_descriptor.h"
#include "host/interface_addresses.h"

namespace hilgate {

struct Interface {
  std::string name;
  unsigned index = 0;
  bool up = false;
  bool carrier = true;    // a cable with a peer at its other end, if the driver can tell
  std::uint32_t mtu = 0;  // bytes, without the Ethernet header
  std::uint32_t rx_queues = 1;
  std::string driver{};  // "veth", "igb"; empty when the kernel does not say
  std::array<std::uint8_t, 6> mac{};
};

/// Throws std::runtime_error for an unknown name; the message lists those there are.
Interface find_interface(const std::string& name);

/// The same, empty for an unknown name.
std::optional<Interface> look_up_interface(const std::string& name);

/// As `ip link set NAME up`. Returns zero or an errno.
int set_interface_up(const std::string& name);

/// What an interface is called by others.
struct InterfaceNames {
  std::array<std::uint8_t, 6> mac{};
  std::vector<IpBytes> ips;
  friend bool operator==(const InterfaceNames&, const InterfaceNames&) = default;
};
/// Empty when there is no such interface.
InterfaceNames names_of_interface(const std::string& name);

// A NIC drops unicast frames for other addresses than its own; a port is there for exactly those.

/// The interface takes frames for all addresses until the result is gone, or the process. Virtual ethernet does anyway.
/// Needs CAP_NET_RAW. Throws std::runtime_error.
FileDescriptor take_frames_for_all(const Interface& interface);

/// The same as a flag of the interface, which outlives the process: for ports that are wired in the kernel when it
/// dies. True when it changed. Needs CAP_NET_ADMIN. Throws std::runtime_error, also when there is no such interface.
bool set_promiscuous(const std::string& interface, bool on);

}  // namespace hilgate
