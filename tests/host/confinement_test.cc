// SPDX-License-Identifier: Apache-2.0
// In a child, because what is given up does not come back.
#include "host/confinement.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sched.h>
#include <sys/syscall.h>
#include <array>
#include <cerrno>
#include <thread>

namespace hilgate::test {
namespace {

constexpr std::array<Capability, 1> kKept = {{{CAP_NET_RAW, "CAP_NET_RAW"}}};
constexpr std::array<Capability, 1> kGone = {{{CAP_SYS_ADMIN, "CAP_SYS_ADMIN"}}};

// What `confined` returns, from a process that has confined itself; 100 when that failed.
template <class Confined>
int in_confinement(Confined confined) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      confine(kKept);
      _exit(confined());
    } catch (const std::exception&) {
      _exit(100);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 200;
}

bool refused(long result) {
  return result < 0 && errno == EPERM;
}

TEST(Confinement, OtherProgramsMountsAndNamespacesAreRefused) {
  EXPECT_EQ(in_confinement([] {
              const std::array<char*, 1> none = {nullptr};
              return refused(execve("/bin/true", none.data(), none.data())) &&
                             refused(mount("none", "/mnt", "tmpfs", 0, nullptr)) && refused(unshare(CLONE_NEWNS)) &&
                             refused(syscall(SYS_keyctl, 0, 0, 0, 0, 0))
                         ? 0
                         : 1;
            }),
            0);
}

TEST(Confinement, ThreadsThatAreStartedLaterAreConfinedToo) {
  EXPECT_EQ(in_confinement([] {
              bool is_refused = false;
              std::thread([&] { is_refused = refused(unshare(CLONE_FILES)); }).join();
              return is_refused ? 0 : 1;
            }),
            0);
}

TEST(Confinement, KeepsOfTheCapabilitiesWhatItShallKeep) {
  const bool had = missing_capabilities(kKept).empty();
  EXPECT_EQ(in_confinement([had] {
              const bool has = missing_capabilities(kKept).empty();
              return has == had && !missing_capabilities(kGone).empty() ? 0 : 1;
            }),
            0);
}

TEST(Confinement, FilesThreadsAndSocketsWorkOn) {
  EXPECT_EQ(in_confinement([] {
              const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
              const int socket = static_cast<int>(syscall(SYS_socket, 1, 1, 0));
              return file >= 0 && socket >= 0 ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace hilgate::test
