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
#include <fstream>
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

}  // namespace

bool is_trusted_tcp_peer(int socket) {
  sockaddr_storage own{};
  sockaddr_storage peer{};
  socklen_t own_size = sizeof own;
  socklen_t peer_size = sizeof peer;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&own), &own_size) != 0 ||
      getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0 ||
      (own.ss_family != AF_INET && own.ss_family != AF_INET6)) {
    return false;
  }
  const auto user = user_of(own.ss_family == AF_INET ? "/proc/self/net/tcp" : "/proc/self/net/tcp6", table_text(peer),
                            table_text(own));
  return user && (*user == 0 || *user == geteuid() || is_in_service_group(*user));
}

}  // namespace hilgate
