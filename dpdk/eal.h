// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hilgate {

/// What DPDK's environment abstraction layer is started with.
struct EalOptions {
  std::string file_prefix;                   // names this process's files in /var/run/dpdk; unique per run
  bool hugepages = true;                     // false: ordinary memory (--no-huge), enough for virtual devices
  std::uint32_t memory_mib = 0;              // 0: what the pool needs, found out by DPDK; required without hugepages
  std::vector<std::string> devices;          // PCI addresses to probe; none: no PCI
  std::vector<std::string> virtual_devices;  // "net_null0,copy=1", ...
  std::vector<std::string> extra;            // passed on as they are
};

/// DPDK, once per process. Control thread.
class Eal {
 public:
  /// Throws std::runtime_error with DPDK's own words and what to do about the common causes: no hugepages, no rights,
  /// a device that does not exist.
  explicit Eal(const EalOptions& options);
  ~Eal();
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;
};

}  // namespace hilgate
