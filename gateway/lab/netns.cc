// SPDX-License-Identifier: Apache-2.0
#include "gateway/lab/netns.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
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

void check(int result, const char* what) {
  if (result != 0) {
    throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
  }
}

}  // namespace

bool netns_exists(const std::string& name) {
  return std::filesystem::exists(netns_path(name));
}

std::uint64_t netns_inode(const std::string& name) {
  struct stat status {};
  check(stat(netns_path(name).c_str(), &status), "read the inode of a network namespace");
  return status.st_ino;
}

NetnsScope::NetnsScope(const std::string& name) : before_(open_or_throw("/proc/thread-self/ns/net")) {
  enter(open_or_throw(netns_path(name)), name);
}

NetnsScope::~NetnsScope() {
  // Going on in the wrong namespace would configure somebody else's interfaces.
  if (setns(before_.get(), CLONE_NEWNET) != 0) {
    std::abort();
  }
}

void enter_netns(const std::string& name) {
  enter(open_or_throw(netns_path(name)), name);
  check(unshare(CLONE_NEWNS), "unshare the mount namespace");
  check(mount("", "/", "none", MS_SLAVE | MS_REC, nullptr), "make the mounts private");
  // /sys shows the interfaces of the namespace it was mounted in.
  check(umount2("/sys", MNT_DETACH), "unmount the old /sys");
  check(mount(name.c_str(), "/sys", "sysfs", 0, nullptr), "mount /sys for the namespace");
}

}  // namespace hilgate
