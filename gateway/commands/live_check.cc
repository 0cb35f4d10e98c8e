// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/live_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <net/if.h>
#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "config/plain_text.h"
#include "gateway/configuration/frame_memory.h"
#include "gateway/run/time/time_server.h"
#include "host/processors.h"
#include "host/unix_socket.h"

namespace hilgate {
namespace {

std::vector<std::string> interface_names() {
  std::vector<std::string> names;
  if (struct if_nameindex* const list = if_nameindex()) {
    for (const auto* entry = list; entry->if_index != 0; ++entry) {
      names.emplace_back(entry->if_name);
    }
    if_freenameindex(list);
  }
  return names;
}

std::string interface_fault(const Configuration& configuration, const std::string& name) {
  if (if_nametoindex(name.c_str()) != 0) {
    return "";
  }
  const char* lab = configuration.lab ? "; `hilgate lab up` creates the interfaces of this file" : "";
  return fmt::format("interface '{}' does not exist on this machine; it has: {}{}", shown(name),
                     fmt::join(interface_names(), ", "), lab);
}

std::optional<std::uint64_t> available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  std::uint64_t kib = 0;
  while (file >> word) {
    if (word == "MemAvailable:" && file >> kib) {
      return kib << 10;
    }
  }
  return std::nullopt;
}

std::string processor_fault(std::uint32_t cpu) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof(allowed), &allowed);
  return cpu < CPU_SETSIZE && CPU_ISSET(cpu, &allowed)
             ? ""
             : fmt::format("'{}' is not a processor that this process may use; it may use {} processors", cpu,
                           CPU_COUNT(&allowed));
}

std::vector<Fault> processor_faults(const Configuration& configuration) {
  std::vector<Fault> faults;
  for (const CoreConfig& core : configuration.cores) {
    if (const auto text = core.cpu ? processor_fault(*core.cpu) : std::string(); !text.empty()) {
      faults.push_back({configuration.file.string(), 0, "packet_loop", text});
    }
  }
  return faults;
}

std::vector<Fault> scheduling_faults(const Configuration& configuration) {
  if (!configuration.real_time || may_run_in_real_time(kControlPriority)) {
    return {};
  }
  return {{configuration.file.string(), 0, "scheduling",
           fmt::format("realtime needs CAP_SYS_NICE or a limit of real-time priorities of {}: run as root, or set "
                       "`LimitRTPRIO={}` in the unit, or `ulimit -r {}`",
                       kControlPriority, kControlPriority, kControlPriority)}};
}

}  // namespace

std::vector<Fault> memory_faults(const Configuration& configuration) {
  const bool is_af_xdp = configuration.ports.front().driver == PortDriver::kAfXdp;
  const std::uint64_t frames = std::uint64_t{configuration.memory.frames} * configuration.memory.frame_bytes;
  const std::uint64_t kernel = is_af_xdp ? kernel_bytes(configuration.memory, configuration.ports.size()) : 0;
  const std::optional<std::uint64_t> available = available_bytes();
  if (!available || frames + kernel <= *available) {
    return {};
  }
  return {
      {configuration.file.string(), 0, "memory.frames",
       fmt::format("{} ports and {} frames take {} MiB, and {} MiB in the kernel; {} MiB are free: set fewer frames, "
                   "{} at least",
                   configuration.ports.size(), configuration.memory.frames, frames >> 20, kernel >> 20,
                   *available >> 20, std::max<std::uint64_t>(least_frames(configuration.ports.size()), 1024))}};
}

std::vector<Fault> host_faults(const Configuration& configuration) {
  std::vector<Fault> faults;
  for (const auto find : {processor_faults, scheduling_faults, memory_faults}) {
    for (Fault& fault : find(configuration)) {
      faults.push_back(std::move(fault));
    }
  }
  return faults;
}

// Of ports whose interface exists; absent ones are reported separately.
std::vector<Fault> serve_faults(const Configuration& configuration) {
  std::vector<Fault> faults;
  for (const ServeConfig& serve : configuration.clock.serve) {
    const PortConfig& port = configuration.ports[serve.port.value()];
    if (::if_nametoindex(port.interface.c_str()) == 0) {
      continue;
    }
    if (const std::string text = serve_fault(serve, port.name, port.interface); !text.empty()) {
      faults.push_back({configuration.file.string(), 0, "clock.serve", text});
    }
  }
  return faults;
}

std::vector<Fault> live_faults(const Configuration& configuration) {
  std::vector<Fault> faults = host_faults(configuration);
  for (const PortConfig& port : configuration.ports) {
    if (port.driver == PortDriver::kSerial && !std::filesystem::exists(port.serial.device)) {
      faults.push_back({configuration.file.string(), port.line, "ports." + port.name + ".device",
                        fmt::format("'{}' does not exist on this machine; `ls /dev/serial/by-id` shows its serial "
                                    "devices; a run waits for it",
                                    shown(port.serial.device))});
    }
    if (port.driver == PortDriver::kDpdk && port.dpdk.kind != DpdkKind::kDevice) {
      const DpdkSocketConfig& socket = port.dpdk.socket;
      if (const auto text = socket_path_problem(socket.path, socket.server); !text.empty()) {
        faults.push_back({configuration.file.string(), port.line, "ports." + port.name + ".socket", text});
      }
    }
    if (port.driver != PortDriver::kAfXdp) {
      continue;  // DPDK knows its devices only once it runs, and a pseudo-terminal is made
    }
    if (port.tap) {
      continue;  // made when absent
    }
    if (const auto text = interface_fault(configuration, port.interface); !text.empty()) {
      faults.push_back({configuration.file.string(), port.line, "ports." + port.name + ".interface", text});
    }
  }
  for (const RobotConfig& robot : configuration.robots) {
    const bool here = configuration.ports[robot.port.value()].driver != PortDriver::kElsewhere;
    if (!robot.dlep || !here) {
      continue;
    }
    if (const auto text = interface_fault(configuration, robot.dlep->interface); !text.empty()) {
      faults.push_back({configuration.file.string(), robot.line, "robots." + robot.name + ".dlep.interface", text});
    }
  }
  std::ranges::move(serve_faults(configuration), std::back_inserter(faults));
  return faults;
}

}  // namespace hilgate
