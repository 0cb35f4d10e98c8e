// SPDX-License-Identifier: Apache-2.0
#include "hw/doctor/port_checks.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "host/file_descriptor.h"
#include "host/interface_watch.h"
#include "host/netns.h"
#include "host/offloads.h"
#include "xdp/interface.h"

namespace hilgate {
namespace {

// Drivers of Linux 6.1 with XDP of their own: those that answer XDP_SETUP_PROG in ndo_bpf.
constexpr std::array<std::string_view, 32> kNative = {
    "atlantic", "bnxt_en",   "bonding",   "cpsw",          "dpaa2-eth", "ena",       "fsl_dpa", "fsl_enetc",
    "gve",      "hv_netvsc", "i40e",      "ice",           "igb",       "igc",       "ixgbe",   "ixgbevf",
    "mana",     "mlx4_en",   "mlx5_core", "mvneta",        "mvpp2",     "netdevsim", "nfp",     "octeontx2-nicpf",
    "qede",     "sfc",       "stmmaceth", "thunder-nicvf", "tsnep",     "tun",       "veth",    "virtio_net"};

Finding xdp_finding(const std::string& check, const Interface& interface) {
  if (interface.driver.empty()) {
    return finding(check, CheckState::kUnknown, "driver unknown to the kernel",
                   "`hilgate status` shows the mode of a run");
  }
  const bool native = std::ranges::find(kNative, interface.driver) != kNative.end();
  return finding(check, native ? CheckState::kOk : CheckState::kWarn,
                 fmt::format("driver {}: {}", interface.driver, native ? "native" : "generic, as far as known"),
                 "frames are copied once more behind the driver; `hilgate status` shows the mode of a run");
}

Finding stamp_finding(const std::string& check, const std::string& interface) {
  const FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ethtool_ts_info info{};
  info.cmd = ETHTOOL_GET_TS_INFO;
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&info);
  if (::ioctl(socket.get(), SIOCETHTOOL, &request) != 0) {
    return finding(check, CheckState::kUnknown, "not reported by the driver");
  }
  constexpr std::uint32_t kBoth = SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE;
  const bool hardware = (info.so_timestamping & kBoth) == kBoth;
  return finding(check, hardware ? CheckState::kOk : CheckState::kWarn,
                 hardware ? fmt::format("in hardware, /dev/ptp{}", info.phc_index) : "in software",
                 "PTP on this interface reaches microseconds at best");
}

Finding offload_finding(const std::string& check, const std::string& interface, CheckState otherwise) {
  const std::vector<std::string> on = offloads_on(interface);
  return finding(check, on.empty() ? CheckState::kOk : otherwise,
                 on.empty() ? "off" : fmt::format("on: {}", fmt::join(on, ", ")),
                 fmt::format("offloads change frames: ethtool -K {} FEATURE off; `hilgate lab` does this for "
                             "its robots",
                             interface));
}

// A robot speaks to these whenever no program is attached.
Finding address_finding(const std::string& check, const PortConfig& port) {
  std::vector<std::string> addresses;
  for (const auto& ip : names_of_interface(port.interface).ips) {
    const bool v4 = ip[10] == 0xff && ip[11] == 0xff && ip[0] == 0;
    const bool link_local = ip[0] == 0xfe && (ip[1] & 0xc0) == 0x80;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (!link_local &&
        ::inet_ntop(v4 ? AF_INET : AF_INET6, ip.data() + (v4 ? 12 : 0), text.data(), text.size()) != nullptr) {
      addresses.emplace_back(text.data());
    }
  }
  const bool wanted = port.ptp_served || !port.kernel_pass.empty();
  return finding(check, addresses.empty() || wanted ? CheckState::kOk : CheckState::kWarn,
                 addresses.empty() ? "none" : fmt::format("{}", fmt::join(addresses, ", ")),
                 fmt::format("robots reach the host by these while no gateway keeps the port closed: ip address flush "
                             "dev {}, and keep network managers away from it",
                             port.interface));
}

void check_port(const PortConfig& port, Findings& findings) {
  const std::string check = "port " + port.name;
  std::optional<Interface> interface;
  try {
    interface = find_interface(port.interface);
  } catch (const std::runtime_error& error) {
    findings.push_back(finding(check, CheckState::kFail, error.what(),
                               "connect it, or run `hilgate lab up`; until then a gateway runs without its robots"));
    return;
  }
  const bool is_dead = interface->up && !interface->carrier;
  findings.push_back(finding(check, is_dead ? CheckState::kWarn : CheckState::kOk,
                             fmt::format("{} is {}", port.interface,
                                         !interface->up ? "down; the gateway sets it up"
                                         : is_dead      ? "up without a carrier"
                                                        : "up"),
                             "nothing passes: plug in the cable, or set the other end up"));
  findings.push_back(address_finding(check + ": addresses", port));
  findings.push_back(xdp_finding(check + ": xdp", *interface));
  findings.push_back(offload_finding(check + ": offloads", port.interface, CheckState::kWarn));
  findings.push_back(stamp_finding(check + ": timestamps", port.interface));
}

void check_robot(const DoctorRobot& robot, Findings& findings) {
  const std::string check = fmt::format("robot {}: offloads", robot.name);
  if (!netns_exists(robot.netns)) {
    findings.push_back(finding(check, CheckState::kUnknown, "its namespace does not exist", "run `hilgate lab up`"));
    return;
  }
  try {
    const NetnsScope inside(robot.netns);
    findings.push_back(offload_finding(check, robot.interface, CheckState::kFail));
  } catch (const std::runtime_error& error) {
    findings.push_back(finding(check, CheckState::kUnknown, error.what(), "run it as root"));
  }
}

}  // namespace

void check_ports(const DoctorSubject& subject, Findings& findings) {
  for (const PortConfig& port : subject.ports) {
    if (port.driver == PortDriver::kAfXdp) {
      check_port(port, findings);
    }
  }
  for (const DoctorRobot& robot : subject.robots) {
    check_robot(robot, findings);
  }
}

void check_neighbours(const DoctorSubject& subject, Findings& findings) {
  if (subject.robots.empty()) {
    return;
  }
  const std::string few = few_neighbours(subject.robots.size());
  findings.push_back(finding("neighbour table", few.empty() ? CheckState::kOk : CheckState::kWarn,
                             few.empty() ? "has room for the robots of the lab" : "is too small for the lab", few));
}

}  // namespace hilgate
