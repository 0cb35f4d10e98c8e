// SPDX-License-Identifier: Apache-2.0
// What a configuration says about a port: the words that configuration and port adapters share.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace hilgate {

/// Which kind of XDP a port may use.
enum class XdpMode : std::uint8_t {
  kAuto,      // the best that the interface has; a fallback is reported
  kZeroCopy,  // native, with the NIC writing into our memory
  kNative,    // in the driver, one copy
  kGeneric,   // behind the driver; works on every interface
};

/// What happens to a port's frames while the packet path is dead or late.
enum class FailMode : std::uint8_t {
  kNone,   // the port is no longer the gateway's when the process ends; a path that is late keeps its frames waiting
  kWire,   // the kernel hands them straight to their receiver's port
  kBlock,  // the kernel drops them
};

enum class PortDriver : std::uint8_t { kAfXdp };

/// Frames that a port leaves to the kernel instead of the air. PTP is always left to it.
struct KernelPass {
  enum class Match : std::uint8_t {
    kEthertype,
    kUdpPort,  // source or destination
    kTcpPort,  // source or destination
  };
  Match match = Match::kEthertype;
  std::uint16_t value = 0;  // host byte order
  friend auto operator<=>(const KernelPass&, const KernelPass&) = default;
};

/// Where robots are plugged in.
struct PortConfig {
  std::string name;
  int line = 0;           // in Configuration::file, for messages
  std::string interface;  // the network interface
  PortDriver driver = PortDriver::kAfXdp;
  XdpMode xdp = XdpMode::kAuto;
  FailMode fail = FailMode::kNone;
  std::vector<KernelPass> kernel_pass;  // the port's own list if it has one, else the gateway's
};

}  // namespace hilgate
