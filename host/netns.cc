// SPDX-License-Identifier: Apache-2.0
#include "host/netns.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace hilgate {
namespace {

std::string netns_path(const std::string& name) {
  return "/run/netns/" + name;
}

FileDescriptor open_or_throw(const std::string& path) {
  FileDescriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.valid()) {
    throw std::runtime_error(fmt::format("network namespace {}: {}", path, std::strerror(errno)));
  }
  return descriptor;
}

void enter(const FileDescriptor& netns, const std::string& name) {
  if (setns(netns.get(), CLONE_NEWNET) != 0) {
    throw std::runtime_error(fmt::format("cannot enter network namespace {}: {}", name, std::strerror(errno)));
  }
}

/// True when the mount that `path` is on receives mounts from elsewhere but passes none on; proc(5), mountinfo.
bool is_slave_mount(const std::string& path) {
  std::ifstream mounts("/proc/self/mountinfo");
  std::string nearest;
  bool slave = false;
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string skipped, point;
    words >> skipped >> skipped >> skipped >> skipped >> point;
    const bool holds = point == "/" || path == point || path.starts_with(point + "/");
    if (holds && point.size() >= nearest.size()) {
      nearest = point;
      const auto options = line.substr(0, line.find(" - "));
      slave = options.find(" master:") != std::string::npos;
    }
  }
  return slave;
}

void check(int result, const char* what) {
  if (result != 0) {
    throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
  }
}

}  // namespace

bool netns_exists(const std::string& name) {
  return std::filesystem::exists(netns_path(name));
}

void require_lasting_netns() {
  if (is_slave_mount("/run/netns")) {
    throw std::runtime_error(
        "network namespaces created here would disappear with this program, because its mounts are private (as within "
        "`ip netns exec`); to enter namespace NAME, use `nsenter --net=/run/netns/NAME hilgate ...`");
  }
}

NetnsScope::NetnsScope(const std::string& name) : before_(open_or_throw("/proc/thread-self/ns/net")) {
  enter(open_or_throw(netns_path(name)), name);
}

NetnsScope::NetnsScope(const FileDescriptor& netns) : before_(open_or_throw("/proc/thread-self/ns/net")) {
  enter(netns, "(no name)");
}

NetnsScope::~NetnsScope() {
  // Continuing in the wrong namespace would configure interfaces of another owner.
  if (setns(before_.get(), CLONE_NEWNET) != 0) {
    std::abort();
  }
}

std::uint64_t netns_cookie(const std::string& name) {
  struct statfs filesystem {};
  if (statfs(netns_path(name).c_str(), &filesystem) != 0 || filesystem.f_type != NSFS_MAGIC) {
    return 0;
  }
  const NetnsScope inside(name);
  const FileDescriptor any(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  std::uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  check(::getsockopt(any.get(), SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size), "ask for the cookie of a namespace");
  return cookie;
}

void enter_netns(const std::string& name) {
  enter(open_or_throw(netns_path(name)), name);
  check(unshare(CLONE_NEWNS), "unshare the mount namespace");
  check(mount("", "/", "none", MS_SLAVE | MS_REC, nullptr), "make the mounts private");
  // /sys shows the interfaces of the namespace it was mounted in.
  check(umount2("/sys", MNT_DETACH), "unmount the old /sys");
  check(mount(name.c_str(), "/sys", "sysfs", 0, nullptr), "mount /sys for the namespace");
}

void show_in_file(const std::string& path, const std::string& text) {
  std::string file = "/run/hilgate-shown-XXXXXX";
  const FileDescriptor descriptor(mkostemp(file.data(), O_CLOEXEC));
  check(descriptor.valid() ? 0 : -1, "make a file in /run");
  const bool whole = write(descriptor.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                     fchmod(descriptor.get(), 0644) == 0;
  const int shown = whole ? mount(file.c_str(), path.c_str(), "none", MS_BIND, nullptr) : -1;
  const int error = errno;
  unlink(file.c_str());  // the mount keeps it
  errno = error;
  check(shown, path.c_str());
}

}  // namespace hilgate
