// SPDX-License-Identifier: Apache-2.0
// The configuration of a port: the terms that configuration and port adapters share.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clock/ptp/ptp_passage.h"

namespace hilgate {

/// Which kind of XDP a port may use.
enum class XdpMode : std::uint8_t {
  kAuto,      // the best that the interface has; a fallback is reported
  kZeroCopy,  // native, with the NIC writing into our memory
  kNative,    // in the driver, one copy
  kGeneric,   // above the driver; works on every interface
};

/// What happens to a port's frames while the packet path is dead or late.
enum class FailMode : std::uint8_t {
  kNone,   // the port is no longer the gateway's when the process ends; a path that is late keeps its frames waiting
  kWire,   // the kernel hands them straight to their receiver's port
  kBlock,  // the kernel drops them when the process is gone; a path that is late keeps its frames waiting
};

/// Whether the device of a port is to keep the instants at which frames leave.
enum class LaunchTimeUse : std::uint8_t {
  kAuto,  // where its timestamps show that it does
  kOn,    // of a DPDK device: also where it has none
  kOff,
};

enum class PortDriver : std::uint8_t {
  kAfXdp,
  kDpdk,
  kPty,        // a pseudo-terminal that the gateway makes
  kSerial,     // a serial device
  kElsewhere,  // another gateway's of the site
};

/// Whether ports of that kind are ends of a serial line, and not of a network.
constexpr bool is_line(PortDriver driver) {
  return driver == PortDriver::kPty || driver == PortDriver::kSerial;
}

/// Flow control of a serial line.
enum class SerialFlow : std::uint8_t { kNone, kRtsCts };

/// How bytes become packets of the radio.
enum class SerialFraming : std::uint8_t { kMavlink, kRaw };

/// Rates of serial lines, bits/s; the fastest adapters (FTDI's FT232H) have 12 Mbit/s. Which of them a device has, its
/// driver decides when it is opened.
inline constexpr std::uint32_t kSlowestLine = 50;
inline constexpr std::uint32_t kFastestLine = 12'000'000;

/// A modem's end of a serial line.
struct SerialPortConfig {
  std::string device;           // of driver kSerial
  std::uint32_t baud = 57'600;  // 8N1
  SerialFlow flow = SerialFlow::kNone;
  SerialFraming framing = SerialFraming::kMavlink;
  std::uint32_t buffer_bytes = 2048;  // that wait for the radio, [512, 65536]
};

/// What a port on DPDK is to its user.
enum class DpdkKind : std::uint8_t {
  kDevice,     // a device that the configuration names
  kMemif,      // memory shared with a program that has a memif interface
  kVhostUser,  // memory shared with a virtual machine, which has a virtio NIC
};

/// How the two ends of shared memory find each other.
struct DpdkSocketConfig {
  std::string path{};    // of a Unix socket, absolute; of kinds other than kDevice
  bool server = true;    // the gateway listens there, else its peer
  std::uint32_t id = 0;  // of kMemif: both ends have the same
  friend bool operator==(const DpdkSocketConfig&, const DpdkSocketConfig&) = default;
};

/// A device of DPDK as a port.
struct DpdkDeviceConfig {
  DpdkKind kind = DpdkKind::kDevice;
  DpdkSocketConfig socket{};
  std::string device;                // "net_null0" and other virtual ones, or a PCI address
  std::string arguments;             // of the device, "copy=1,size=64"
  std::uint16_t queues = 1;          // receive queues, [1, 64]
  std::uint16_t descriptors = 1024;  // per ring, [64, 32768]
};

/// Longest path of a Unix socket, bytes (unix(7)).
inline constexpr std::size_t kMaxSocketPath = 107;

/// Entries of a memif's rings: a power of two in this range.
inline constexpr std::uint16_t kShortestMemifRing = 64;
inline constexpr std::uint16_t kLongestMemifRing = 16'384;

/// A TAP device, which the gateway makes if it is missing and removes again.
struct TapConfig {
  std::string user;  // who besides root may attach a virtual machine; empty: no user
};

/// Frames that a port leaves to the kernel instead of the air, in addition to the PTP that it keeps.
struct KernelPass {
  enum class Match : std::uint8_t {
    kEthertype,
    kUdpPort,  // destination, in frames for the interface's own MAC address or for a group
    kTcpPort,  // likewise
    kPtp,      // to daemons of the box: see PortConfig::ptp_served
  };
  Match match = Match::kEthertype;
  std::uint16_t value = 0;  // host byte order
  friend auto operator<=>(const KernelPass&, const KernelPass&) = default;
};

/// The longest list of them that a port takes.
inline constexpr std::size_t kMaxKernelPasses = 16;

/// Where robots are plugged in.
struct PortConfig {
  std::string name;
  int line = 0;           // in Configuration::file, for messages
  std::string interface;  // the network interface; empty for DPDK and serial lines
  PortDriver driver = PortDriver::kAfXdp;
  XdpMode xdp = XdpMode::kAuto;
  FailMode fail = FailMode::kNone;
  LaunchTimeUse launch_time = LaunchTimeUse::kAuto;  // of an AF_XDP port or a DPDK device
  PtpPassage ptp = PtpPassage::kKeep;                // of the port's robots; kept by DPDK's ports, it is dropped
  bool isolated = false;                // its robots reach each other through the gateway alone, back by this port
  bool trunk = false;                   // each of its robots has a VLAN: tags must be among the bytes of frames
  bool ptp_served = false;              // kept PTP goes to the kernel, if it is for the box; else it is dropped
  DpdkDeviceConfig dpdk;                // for driver kDpdk
  std::uint32_t gateway = 0;            // of a site, whose it is
  SerialPortConfig serial;              // for is_line(driver)
  std::optional<TapConfig> tap;         // the interface is a TAP device
  std::vector<KernelPass> kernel_pass;  // the port's own list if it has one, else the gateway's
};

/// Where a port is, for messages and status: its interface, socket or device. Empty for a pseudo-terminal and a port of
/// another gateway.
inline const std::string& port_place(const PortConfig& port) {
  if (is_line(port.driver)) {
    return port.serial.device;
  }
  if (port.driver != PortDriver::kDpdk) {
    return port.interface;
  }
  return port.dpdk.kind == DpdkKind::kDevice ? port.dpdk.device : port.dpdk.socket.path;
}

}  // namespace hilgate
