// SPDX-License-Identifier: Apache-2.0
// In a child, because what is given up does not come back.
#include "host/confinement.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sched.h>
#include <sys/syscall.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <thread>

namespace hilgate::test {
namespace {

constexpr std::array<Capability, 1> kKept = {{{CAP_NET_RAW, "CAP_NET_RAW"}}};
constexpr std::array<Capability, 1> kGone = {{{CAP_SYS_ADMIN, "CAP_SYS_ADMIN"}}};

void confine_with_a_right() {
  confine(kKept);
}
void confine_as_reader() {
  confine_reader(std::uint64_t{1} << 40, std::chrono::seconds(60));
}

// What `confined` returns, from a process that has confined itself; 100 when that failed.
template <class Confined>
int in_confinement(Confined confined, void (*confine_itself)() = confine_with_a_right) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      confine_itself();
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

TEST(Confinement, KeepsTheListedCapabilities) {
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

TEST(Confinement, AReaderReadsAndHasThreads) {
  EXPECT_EQ(in_confinement(
                [] {
                  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
                  bool ran = false;
                  std::thread([&] { ran = true; }).join();
                  return file >= 0 && ran ? 0 : 1;
                },
                confine_as_reader),
            0);
}

TEST(Confinement, ReaderCannotWriteOrConnect) {
  const std::string file = testing::TempDir() + "hgt-reader-" + std::to_string(getpid());
  EXPECT_EQ(in_confinement(
                [&file] {
                  const std::array checks = {
                      refused(open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)),
                      refused(open("/dev/null", O_RDWR | O_CLOEXEC)),
                      refused(syscall(SYS_openat2, AT_FDCWD, "/dev/null", nullptr, 0)),
                      refused(mkdir(file.c_str(), 0700)),
                      refused(unlink(file.c_str())),
                      refused(rename("/tmp/a", "/tmp/b")),
                      refused(truncate(file.c_str(), 0)),
                      refused(socket(AF_UNIX, SOCK_STREAM, 0)),
                      refused(socket(AF_INET, SOCK_DGRAM, 0)),
                      refused(syscall(SYS_io_uring_setup, 1, nullptr)),
                      refused(kill(getppid(), 0)),
                      refused(syscall(SYS_tgkill, getppid(), getppid(), 0)),
                      refused(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0)),
                      refused(execl("/bin/true", "true", nullptr)),
                  };
                  for (std::size_t i = 0; i < checks.size(); ++i) {
                    if (!checks[i]) {
                      return static_cast<int>(i) + 1;
                    }
                  }
                  return 0;
                },
                confine_as_reader),
            0)
      << "the check of that number, from 1 on";
}

TEST(Confinement, AReaderThatNeedsTooLongIsEnded) {
  const pid_t child = fork();
  if (child == 0) {
    confine_reader(std::uint64_t{1} << 40, std::chrono::seconds(1));
    for (volatile int i = 0;; i = i + 1) {
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
}

}  // namespace
}  // namespace hilgate::test
