// SPDX-License-Identifier: Apache-2.0
#include "dpdk/eal.h"

#include <fmt/format.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <sched.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace hilgate {
namespace {

// EAL pins the thread that starts it; the control thread needs its processors back.
class KeepAffinity {
 public:
  KeepAffinity() { sched_getaffinity(0, sizeof(set_), &set_); }
  ~KeepAffinity() { sched_setaffinity(0, sizeof(set_), &set_); }
  KeepAffinity(const KeepAffinity&) = delete;
  KeepAffinity& operator=(const KeepAffinity&) = delete;
  [[nodiscard]] int first() const {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set_)) {
        return cpu;
      }
    }
    return 0;
  }

 private:
  cpu_set_t set_{};
};

std::vector<std::string> arguments(const EalOptions& options, int main_cpu) {
  std::vector<std::string> args{"hilgate",       "--lcores",          std::to_string(main_cpu),
                                "--file-prefix", options.file_prefix, "--log-level",
                                "warning",       "--no-telemetry"};
  if (!options.hugepages) {
    args.emplace_back("--no-huge");
  }
  if (options.memory_mib > 0) {
    args.insert(args.end(), {"-m", std::to_string(options.memory_mib)});
  }
  if (options.devices.empty()) {
    args.emplace_back("--no-pci");
  }
  for (const std::string& device : options.devices) {
    args.insert(args.end(), {"-a", device});
  }
  for (const std::string& device : options.virtual_devices) {
    args.insert(args.end(), {"--vdev", device});
  }
  args.insert(args.end(), options.extra.begin(), options.extra.end());
  return args;
}

int free_hugepages() {
  int free = 0;
  std::ifstream("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages") >> free;
  return free;
}

std::string advice(const EalOptions& options) {
  if (options.hugepages && free_hugepages() == 0) {
    return "; there are no free hugepages: run `echo 512 > /proc/sys/vm/nr_hugepages`, or set `hugepages: false`";
  }
  if (options.hugepages && !std::filesystem::exists("/dev/hugepages")) {
    return "; hugetlbfs is not mounted: run `mount -t hugetlbfs nodev /dev/hugepages`, or set `hugepages: false`";
  }
  return "; see DPDK's messages above";
}

std::string device_arguments(const DpdkDeviceConfig& device, const std::string& driver_socket) {
  switch (device.kind) {
    case DpdkKind::kMemif:
      return fmt::format("role={},id={},rsize={},socket={},socket-abstract=no",
                         device.socket.server ? "server" : "client", device.socket.id,
                         std::countr_zero(device.descriptors), driver_socket);
    case DpdkKind::kVhostUser:
      return fmt::format("iface={},queues=1,client={}", device.socket.path, device.socket.server ? 0 : 1);
    case DpdkKind::kDevice:
      break;
  }
  return device.arguments;
}

}  // namespace

bool is_virtual(const std::string& device) {
  return device.starts_with("net_") || device.starts_with("eth_");
}

void add_device(EalOptions& options, const DpdkDeviceConfig& device, const std::string& driver_socket) {
  const std::string arguments = device_arguments(device, driver_socket);
  options.ends_with_process |= device.kind == DpdkKind::kMemif;
  auto& list = is_virtual(device.device) ? options.virtual_devices : options.devices;
  list.push_back(arguments.empty() ? device.device : device.device + "," + arguments);
}

Eal::Eal(const EalOptions& options) : ends_with_process_(options.ends_with_process) {
  const KeepAffinity affinity;
  std::vector<std::string> args = arguments(options, affinity.first());
  std::vector<char*> argv;
  for (std::string& arg : args) {
    argv.push_back(arg.data());
  }
  if (rte_eal_init(static_cast<int>(argv.size()), argv.data()) < 0) {
    const int error = rte_errno;
    throw std::runtime_error(fmt::format(
        "dpdk: cannot start: {}{}", error == EALREADY ? "DPDK was started before in this process" : rte_strerror(error),
        advice(options)));
  }
}

Eal::~Eal() {
  if (!ends_with_process_) {
    rte_eal_cleanup();
  }
}

}  // namespace hilgate
