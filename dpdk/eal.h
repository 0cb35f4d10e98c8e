// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frame/port_config.h"

namespace hilgate {

/// What DPDK's environment abstraction layer is started with.
struct EalOptions {
  std::string file_prefix;                   // names this process's files in /var/run/dpdk; unique per run
  bool hugepages = true;                     // false: ordinary memory (--no-huge), enough for virtual devices
  std::uint32_t memory_mib = 0;              // 0: what the pool needs, found out by DPDK; required without hugepages
  std::vector<std::string> devices;          // PCI addresses to probe; none: no PCI
  std::vector<std::string> virtual_devices;  // "net_null0,copy=1", ...
  std::vector<std::string> extra;            // passed on as they are
  bool ends_with_process = false;            // DPDK is not cleaned up: see add_device()
};

/// Whether DPDK makes the device itself, by its name; else it is a PCI address.
bool is_virtual(const std::string& device);

/// Adds the device of a port. `driver_socket` is that of a memif's driver (dpdk/memif_relay.h). DPDK 22.11 with a memif
/// is left to the end of the process: net_memif frees the handle of its listening socket, which DPDK's thread of
/// interrupts uses until the end.
void add_device(EalOptions& options, const DpdkDeviceConfig& device, const std::string& driver_socket = "");

/// DPDK, once per process. Control thread.
class Eal {
 public:
  /// Throws std::runtime_error with DPDK's own words and what to do about the common causes: no hugepages, no rights,
  /// a device that does not exist.
  explicit Eal(const EalOptions& options);
  ~Eal();
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;

 private:
  bool ends_with_process_;
};

}  // namespace hilgate
