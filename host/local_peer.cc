// SPDX-License-Identifier: Apache-2.0
#include "host/local_peer.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <vector>

#include "host/service_unit.h"

namespace hilgate {
namespace {

constexpr std::size_t kNameServiceBuffer = std::size_t{16} * 1024;  // bytes for one entry of passwd or group

// The groups of the peer's process when it connected or began to listen, the effective one included.
std::vector<gid_t> groups_of(int socket, gid_t effective) {
  std::vector<gid_t> groups(64);
  auto bytes = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  int failed = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
  if (failed != 0 && errno == ERANGE) {  // `bytes` is what it takes
    groups.resize(bytes / sizeof(gid_t));
    failed = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
  }
  groups.resize(failed == 0 ? bytes / sizeof(gid_t) : 0);
  groups.push_back(effective);
  return groups;
}

bool is_member(int socket, gid_t effective) {
  const auto wanted = service_group();
  if (!wanted) {
    return false;
  }
  const auto groups = groups_of(socket, effective);
  return std::find(groups.begin(), groups.end(), *wanted) != groups.end();
}

std::string user_name(uid_t user) {
  std::array<char, kNameServiceBuffer> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found);
  return found != nullptr ? std::string(found->pw_name) : fmt::format("number {}", user);
}

std::string program_name(pid_t process) {
  std::string name;
  std::getline(std::ifstream(fmt::format("/proc/{}/comm", process)), name);
  return name;
}

}  // namespace

std::optional<gid_t> service_group() {
  std::array<char, kNameServiceBuffer> buffer{};
  group entry{};
  group* found = nullptr;
  getgrnam_r(kServiceGroup, &entry, buffer.data(), buffer.size(), &found);
  return found != nullptr ? std::optional<gid_t>(found->gr_gid) : std::nullopt;
}

bool in_service_group() {
  const auto wanted = service_group();
  return wanted && (getegid() == *wanted || group_member(*wanted) != 0);
}

void give_to_service_group(const char* path) {
  if (const auto group = service_group()) {
    [[maybe_unused]] const int refused = lchown(path, static_cast<uid_t>(-1), *group);
  }
}

std::string LocalPeer::text() const {
  const std::string program = process > 0 ? program_name(process) : "";
  const std::string unit = process > 0 ? service_unit(process) : "";
  return fmt::format("{}{} of user {}{}", process > 0 ? fmt::format("process {}", process) : "a process",
                     program.empty() ? "" : fmt::format(" ({})", program), user_name(user),
                     unit.empty() ? "" : fmt::format(" in {}", unit));
}

LocalPeer local_peer(int socket) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    throw std::system_error(errno, std::generic_category(), "SO_PEERCRED");
  }
  const bool trusted = credentials.uid == 0 || credentials.uid == geteuid() || is_member(socket, credentials.gid);
  return {.process = credentials.pid, .user = credentials.uid, .trusted = trusted};
}

}  // namespace hilgate
