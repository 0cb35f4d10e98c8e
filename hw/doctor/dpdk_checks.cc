// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <rte_ethdev.h>
#include <rte_version.h>
#include <unistd.h>

#include <stdexcept>

#include "dpdk/device_clock.h"
#include "dpdk/eal.h"
#include "host/unix_socket.h"
#include "hw/doctor/port_checks.h"

namespace hilgate {
namespace {

EalOptions options(const DoctorSubject& subject) {
  EalOptions options{.file_prefix = fmt::format("hilgate-doctor-{}", ::getpid()),
                     .hugepages = subject.hugepages,
                     .memory_mib = 64,
                     .devices = {},
                     .virtual_devices = {},
                     .extra = subject.eal_arguments,
                     .ends_with_process = false};
  for (const PortConfig& port : subject.ports) {
    if (port.dpdk.kind == DpdkKind::kDevice) {
      add_device(options, port.dpdk);
    }
  }
  return options;
}

// Its device is not opened: a peer would take it for the gateway's.
void check_socket(const PortConfig& port, Findings& findings) {
  const DpdkSocketConfig& socket = port.dpdk.socket;
  const std::string problem = socket_path_problem(socket.path, socket.server);
  findings.push_back(finding(
      "port " + port.name, problem.empty() ? CheckState::kOk : CheckState::kFail,
      problem.empty() ? fmt::format("{} at unix:{}", socket.server ? "server" : "client", socket.path) : problem));
}

void check_port(const PortConfig& port, Findings& findings) {
  if (port.dpdk.kind != DpdkKind::kDevice) {
    check_socket(port, findings);
    return;
  }
  const std::string check = "port " + port.name;
  std::uint16_t id = 0;
  rte_eth_dev_info info{};
  if (rte_eth_dev_get_port_by_name(port.dpdk.device.c_str(), &id) != 0 || rte_eth_dev_info_get(id, &info) != 0) {
    findings.push_back(finding(check, CheckState::kFail, "DPDK does not find the device " + port.dpdk.device,
                               is_virtual(port.dpdk.device)
                                   ? "DPDK cannot make it: see `device_arguments`; an interface that they "
                                     "name must be there (`hilgate lab up` makes those of a lab)"
                                   : "bind it with dpdk-devbind.py --bind vfio-pci " + port.dpdk.device));
    return;
  }
  findings.push_back(finding(check, CheckState::kOk, fmt::format("{}, driver {}", port.dpdk.device, info.driver_name)));
  const bool stamps = DeviceClock::stamps(info);
  findings.push_back(finding(check + ": arrival timestamps", stamps ? CheckState::kOk : CheckState::kWarn,
                             stamps ? "by the device" : "in software",
                             "arrivals are timestamped when they are polled"));
  const bool launch = (info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP) != 0;
  findings.push_back(finding(check + ": launch time", CheckState::kOk,
                             launch ? "offered by the device: see `launch_time` in hw/launch-time.md"
                                    : "not offered by the driver; the packet loop times releases"));
}

}  // namespace

void check_dpdk(const DoctorSubject* subject, Findings& findings) {
  findings.push_back(finding("dpdk", CheckState::kOk, rte_version()));
  if (subject == nullptr || subject->ports.empty() || subject->ports.front().driver != PortDriver::kDpdk) {
    return;
  }
  try {
    const Eal eal(options(*subject));
    for (const PortConfig& port : subject->ports) {
      check_port(port, findings);
    }
  } catch (const std::runtime_error& error) {
    findings.push_back(finding("dpdk devices", CheckState::kFail, error.what(),
                               "`hilgate run` with this file fails for the same reason"));
  }
}

}  // namespace hilgate
