// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <system_error>

#include "frame/checksum.h"
#include "frame/headers.h"
#include "host/byte_cursor.h"
#include "host/file_descriptor.h"
#include "hw/doctor/port_checks.h"
#include "xdp/attach_fault.h"
#include "xdp/interface.h"

namespace hilgate {
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
