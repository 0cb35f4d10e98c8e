// SPDX-License-Identifier: Apache-2.0
#include "hw/doctor/port_checks.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <system_error>

#include "frame/checksum.h"
#include "frame/headers.h"
#include "host/byte_cursor.h"
#include "host/file_descriptor.h"
#include "host/interface_watch.h"
#include "host/netns.h"
#include "host/offloads.h"
#include "xdp/attached_program.h"
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
  for (const IpBytes& ip : interface_addresses(port.interface)) {
    const bool v4 = is_ipv4(ip);
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (!is_link_local_ipv6(ip) &&
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

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kRound{250};  // from ping to ping
constexpr std::chrono::milliseconds kListening{4'000};
// Robots repeat each second a request without an answer: a later one than this is a repeated one.
constexpr std::chrono::milliseconds kAskedOn{2'500};

constexpr std::uint32_t kEcho = 16;  // bytes of the echo request (RFC 792), header included
constexpr std::uint16_t kArpRequest = 1;
constexpr std::uint32_t kArp = 28;  // bytes of an ARP packet of Ethernet and IPv4 (RFC 826)

/// One robot that is made to ask for another one.
struct Search {
  const DoctorNeighbour* from = nullptr;
  const DoctorNeighbour* to = nullptr;
  bool asked = false;
  bool asked_on = false;
  [[nodiscard]] bool found() const { return asked && !asked_on; }
};

/// A ping to the robot that searches, which it has to answer to the one it searches for.
std::array<std::byte, ETH_ZLEN> ping_for(const Search& search, const Interface& interface) {
  std::array<std::byte, ETH_ZLEN> frame{};
  search.from->mac.to_wire(frame.data());
  std::memcpy(frame.data() + 6, interface.mac.data(), interface.mac.size());
  store_be(frame, 12, static_cast<std::uint16_t>(EtherType::kIpv4));
  const auto ip = std::span<std::byte>(frame).subspan(kEthernetHeader, kIpv4Header);
  ip[0] = std::byte{0x45};
  store_be(ip, 2, static_cast<std::uint16_t>(kIpv4Header + kEcho));
  ip[8] = std::byte{64};
  ip[9] = static_cast<std::byte>(IpProtocol::kIcmp);
  store_be(ip, 12, search.to->ipv4);
  store_be(ip, 16, search.from->ipv4);
  store_be(ip, 10, internet_checksum(internet_sum(ip)));
  const auto echo = std::span<std::byte>(frame).subspan(kEthernetHeader + kIpv4Header, kEcho);
  echo[0] = std::byte{8};
  store_be(echo, 2, internet_checksum(internet_sum(echo)));
  return frame;
}

FileDescriptor arp_socket(const Interface& interface) {
  FileDescriptor socket(
      checked(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, htons(ETH_P_ARP)), "packet socket"));
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ARP);
  address.sll_ifindex = static_cast<int>(interface.index);
  checked(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), "bind");
  return socket;
}

/// Notes an ARP request; other frames are ignored.
void note(std::span<const std::byte> frame, bool late, std::vector<Search>& searches) {
  const auto ethernet = parse_ethernet(frame);
  if (!ethernet || ethernet->type != EtherType::kArp || !ethernet->destination.is_group() ||
      frame.size() < ethernet->payload + kArp) {
    return;
  }
  const auto arp = frame.subspan(ethernet->payload, kArp);
  if (load_be<std::uint16_t>(arp, 6) != kArpRequest) {
    return;
  }
  for (Search& search : searches) {
    if (search.from->ipv4 == load_be<std::uint32_t>(arp, 14) && search.to->ipv4 == load_be<std::uint32_t>(arp, 24)) {
      search.asked = true;
      search.asked_on = search.asked_on || late;
    }
  }
}

void read_requests(const FileDescriptor& socket, bool late, std::vector<Search>& searches) {
  std::array<std::byte, ETH_FRAME_LEN> frame{};
  for (ssize_t size = 0; (size = ::recv(socket.get(), frame.data(), frame.size(), 0)) >= 0;) {
    note(std::span<const std::byte>(frame).first(static_cast<std::size_t>(size)), late, searches);
  }
}

/// Throws std::system_error.
void search(const Interface& interface, std::vector<Search>& searches) {
  const FileDescriptor socket = arp_socket(interface);
  const auto start = SteadyClock::now();
  for (auto round = start; round < start + kListening; round += kRound) {
    for (const Search& one : searches) {
      const auto ping = ping_for(one, interface);
      checked(static_cast<int>(::send(socket.get(), ping.data(), ping.size(), 0)), "send");
    }
    for (auto now = SteadyClock::now(); now < round + kRound; now = SteadyClock::now()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(round + kRound - now);
      pollfd ready{socket.get(), POLLIN, 0};
      if (::poll(&ready, 1, static_cast<int>(left.count())) > 0) {
        read_requests(socket, SteadyClock::now() - start > kAskedOn, searches);
      }
    }
  }
}

std::vector<Search> all_searches(const std::vector<const DoctorNeighbour*>& robots) {
  std::vector<Search> searches;
  for (const DoctorNeighbour* from : robots) {
    for (const DoctorNeighbour* to : robots) {
      if (from != to && from->ipv4 != 0 && to->ipv4 != 0) {
        searches.push_back({from, to});
      }
    }
  }
  return searches;
}

/// At most three of them, for a line.
std::string some(const std::vector<std::string>& texts) {
  constexpr std::size_t kMost = 3;
  const auto shown = std::span(texts).first(std::min(texts.size(), kMost));
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     texts.size() > kMost ? fmt::format(" and {} more", texts.size() - kMost) : "");
}

Finding isolation_finding(const std::string& check, bool isolated, const std::vector<const DoctorNeighbour*>& robots,
                          const std::vector<Search>& searches) {
  std::vector<std::string> found;
  std::vector<std::string> unheard;
  for (const Search& one : searches) {
    if (one.found()) {
      found.push_back(fmt::format("{} finds {}", one.from->name, one.to->name));
    } else if (!one.asked) {
      unheard.push_back(fmt::format("{} does not ask for {}", one.from->name, one.to->name));
    }
  }
  for (const DoctorNeighbour* robot : robots) {
    if (robot->ipv4 == 0) {
      unheard.push_back(fmt::format("{} has no IPv4 address in the configuration", robot->name));
    }
  }
  if (!found.empty()) {
    return finding(check, CheckState::kWarn, fmt::format("past the gateway: {}", some(found)),
                   "isolate the switch's ports to robots, or the access point's clients: docs/how-to/switches.md");
  }
  if (!unheard.empty()) {
    return finding(check, CheckState::kUnknown, some(unheard),
                   "robots must be on, answer pings, and not know each other yet: `ip neigh flush all` there");
  }
  return finding(check, CheckState::kOk,
                 fmt::format("its {} robots do not find each other{}", robots.size(),
                             isolated ? "" : "; through the gateway they would with `isolated: true`"));
}

Finding examine_isolation(const PortConfig& port, const std::vector<const DoctorNeighbour*>& robots) {
  const std::string check = fmt::format("port {}: isolation", port.name);
  const auto interface = look_up_interface(port.interface);
  if (!interface || !interface->up || !interface->carrier) {
    return finding(check, CheckState::kUnknown, fmt::format("{} is not up", port.interface),
                   fmt::format("connect the switch, and run `ip link set {} up`", port.interface));
  }
  if (const auto owner = who_is_attached(*interface)) {
    return finding(check, CheckState::kUnknown, "the port is a gateway's", *owner);
  }
  try {
    std::vector<Search> searches = all_searches(robots);
    search(*interface, searches);
    return isolation_finding(check, port.isolated, robots, searches);
  } catch (const std::system_error& error) {
    return finding(check, CheckState::kUnknown, error.what(), "run it as root");
  }
}

}  // namespace

void check_isolation(const DoctorSubject& subject, Findings& findings) {
  for (const PortConfig& port : subject.ports) {
    std::vector<const DoctorNeighbour*> robots;
    for (const DoctorNeighbour& robot : subject.neighbours) {
      if (robot.port == port.name) {
        robots.push_back(&robot);
      }
    }
    // Robots with a VLAN each do not share a network, and the pings here have no tags.
    if (port.driver == PortDriver::kAfXdp && !port.trunk && robots.size() > 1) {
      findings.push_back(examine_isolation(port, robots));
    }
  }
}

}  // namespace hilgate
