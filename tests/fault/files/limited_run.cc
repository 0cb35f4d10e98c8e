// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/files/limited_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "host/file_descriptor.h"

namespace hilgate::test {
namespace {

std::string content_of(int file) {
  std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  const ssize_t got = pread(file, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

[[noreturn]] void become(const std::vector<std::string>& argv, int output) {
  std::vector<char*> words;
  for (const std::string& word : argv) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  execvp(words.front(), words.data());
  std::_Exit(127);
}

}  // namespace

LimitedRun run_limited(const std::vector<std::string>& argv, std::chrono::seconds limit) {
  const FileDescriptor output(checked(memfd_create("output", MFD_CLOEXEC), "memfd"));
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = checked(fork(), argv.front());
  if (child == 0) {
    become(argv, output.get());
  }
  const FileDescriptor ended(checked(static_cast<int>(syscall(SYS_pidfd_open, child, 0)), "pidfd"));
  pollfd end{ended.get(), POLLIN, 0};
  if (poll(&end, 1, static_cast<int>(std::chrono::milliseconds(limit).count())) == 0) {
    kill(child, SIGKILL);
  }
  int status = 0;
  rusage used{};
  checked(wait4(child, &status, 0, &used), argv.front());
  return {.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
          .output = content_of(output.get()),
          .most_kib = static_cast<std::size_t>(used.ru_maxrss),
          .time = std::chrono::steady_clock::now() - begin};
}

}  // namespace hilgate::test
