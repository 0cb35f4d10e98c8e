// SPDX-License-Identifier: Apache-2.0
#include "host/tcp_peer.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <grp.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "host/local_peer.h"

namespace hilgate {
namespace {

// As the table of the kernel writes it: words of the address as they lie in memory, and the port.
std::string table_text(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(address);
    return fmt::format("{:08X}:{:04X}", ipv4.sin_addr.s_addr, ntohs(ipv4.sin_port));
  }
  const auto& ipv6 = reinterpret_cast<const sockaddr_in6&>(address);
  const auto& words = ipv6.sin6_addr.s6_addr32;
  return fmt::format("{:08X}{:08X}{:08X}{:08X}:{:04X}", words[0], words[1], words[2], words[3], ntohs(ipv6.sin6_port));
}

// The user of the socket whose own address is `local`, connected to `remote`.
std::optional<uid_t> user_of(const std::string& table, const std::string& local, const std::string& remote) {
  std::ifstream rows(table);
  std::string row;
  std::getline(rows, row);  // its head
  while (std::getline(rows, row)) {
    std::istringstream fields(row);
    std::string number, its_local, its_remote, state, queues, timer, retransmits;
    uid_t user = 0;
    if (fields >> number >> its_local >> its_remote >> state >> queues >> timer >> retransmits >> user &&
        its_local == local && its_remote == remote) {
      return user;
    }
  }
  return std::nullopt;
}

bool is_in_service_group(uid_t user) {
  const auto wanted = service_group();
  std::vector<char> buffer(std::size_t{16} * 1024);
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found);
  if (!wanted || found == nullptr) {
    return false;
  }
  std::array<gid_t, 256> groups{};
  int count = groups.size();
  if (getgrouplist(found->pw_name, found->pw_gid, groups.data(), &count) < 0) {
    return false;  // of more groups than anybody is in
  }
  return std::find(groups.begin(), groups.begin() + count, *wanted) != groups.begin() + count;
}

/// Both ends of a connection.
struct TcpEnds {
  sockaddr_storage own{};
  sockaddr_storage peer{};
};

std::optional<TcpEnds> ends_of(int socket) {
  TcpEnds ends;
  socklen_t own_size = sizeof ends.own;
  socklen_t peer_size = sizeof ends.peer;
  const bool known = getsockname(socket, reinterpret_cast<sockaddr*>(&ends.own), &own_size) == 0 &&
                     getpeername(socket, reinterpret_cast<sockaddr*>(&ends.peer), &peer_size) == 0 &&
                     (ends.own.ss_family == AF_INET || ends.own.ss_family == AF_INET6);
  return known ? std::optional(ends) : std::nullopt;
}

std::optional<uid_t> user_of(const TcpEnds& ends) {
  return user_of(ends.own.ss_family == AF_INET ? "/proc/self/net/tcp" : "/proc/self/net/tcp6", table_text(ends.peer),
                 table_text(ends.own));
}

std::string address_text(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text.data(), text.size());
    return text.data();
  }
  in6_addr network = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  if (!IN6_IS_ADDR_V4MAPPED(&network)) {
    std::fill(std::begin(network.s6_addr) + 8, std::end(network.s6_addr), std::uint8_t{0});
  }
  inet_ntop(AF_INET6, &network, text.data(), text.size());
  return text.data();
}

}  // namespace

bool is_trusted_tcp_peer(int socket) {
  const auto ends = ends_of(socket);
  const auto user = ends ? user_of(*ends) : std::nullopt;
  return user && (*user == 0 || *user == geteuid() || is_in_service_group(*user));
}

std::string tcp_peer_text(int socket) {
  const auto ends = ends_of(socket);
  if (!ends) {
    return {};
  }
  const auto user = user_of(*ends);
  return user ? fmt::format("user {}", *user) : address_text(ends->peer);
}

}  // namespace hilgate
