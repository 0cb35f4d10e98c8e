// SPDX-License-Identifier: Apache-2.0
#include "host/interface_watch.h"

#include <fmt/format.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>

namespace hilgate {
namespace {

std::string name_in(const nlmsghdr* message) {
  auto left = static_cast<int>(IFLA_PAYLOAD(message));
  const auto* link = static_cast<const ifinfomsg*>(NLMSG_DATA(message));
  for (const rtattr* attribute = IFLA_RTA(link); RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
    if (attribute->rta_type == IFLA_IFNAME) {
      const auto* text = static_cast<const char*>(RTA_DATA(attribute));
      return {text, ::strnlen(text, std::min<std::size_t>(RTA_PAYLOAD(attribute), IFNAMSIZ))};
    }
  }
  return {};
}

void add(const nlmsghdr* message, InterfaceChanges& changes) {
  switch (message->nlmsg_type) {
    case RTM_NEWLINK:
    case RTM_DELLINK: {
      const auto* link = static_cast<const ifinfomsg*>(NLMSG_DATA(message));
      changes.links.push_back({.index = static_cast<unsigned>(link->ifi_index), .name = name_in(message)});
      break;
    }
    case RTM_NEWADDR:
    case RTM_DELADDR:
      changes.links.push_back({.index = static_cast<const ifaddrmsg*>(NLMSG_DATA(message))->ifa_index});
      break;
    default:
      break;
  }
}

}  // namespace

bool InterfaceChanges::concern(unsigned index, const std::string& name) const {
  return unknown || std::any_of(links.begin(), links.end(), [&](const InterfaceChange& change) {
           return (index != 0 && change.index == index) || change.name == name;
         });
}

InterfaceWatch::InterfaceWatch()
    : socket_(checked(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE),
                      "a netlink socket for changes of interfaces")) {
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
  checked(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
          "listening to changes of interfaces");
}

InterfaceChanges InterfaceWatch::read() {
  InterfaceChanges changes;
  alignas(nlmsghdr) std::array<std::byte, kNetlinkBufferBytes> buffer{};
  for (;;) {
    sockaddr_nl sender{};
    socklen_t length = sizeof sender;
    const ssize_t bytes =
        ::recvfrom(socket_.get(), buffer.data(), buffer.size(), 0, reinterpret_cast<sockaddr*>(&sender), &length);
    if (bytes < 0 && errno == ENOBUFS) {
      changes.unknown = true;
      continue;
    }
    if (bytes < 0 && errno != EINTR) {
      return changes;
    }
    if (bytes < 0 || sender.nl_pid != 0) {  // only the kernel's word counts
      continue;
    }
    each_netlink_message({buffer.data(), static_cast<std::size_t>(bytes)},
                         [&changes](const nlmsghdr* message) { add(message, changes); });
  }
}

std::string few_neighbours(std::size_t robots, const std::filesystem::path& root) {
  std::ifstream file(root / "proc/sys/net/ipv4/neigh/default/gc_thresh3");
  std::uint64_t most = 0;
  const std::uint64_t needed = std::uint64_t{robots} * (robots > 0 ? robots - 1 : 0);
  if (!(file >> most) || needed <= most) {
    return {};
  }
  return fmt::format(
      "{0} robots that all speak to one another need {1} neighbour entries, the kernel keeps {2} for all "
      "namespaces: pings fail without a reason; sysctl -w net.ipv4.neigh.default.gc_thresh3={3} "
      "net.ipv4.neigh.default.gc_thresh2={1}",
      robots, needed, most, 2 * needed);
}

}  // namespace hilgate
