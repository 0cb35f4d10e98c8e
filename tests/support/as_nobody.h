// SPDX-License-Identifier: Apache-2.0
// A part of a test as somebody without any right.
#pragma once

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <functional>
#include <string>

namespace hilgate::test {

inline constexpr uid_t kNobody = 65534;

/// What `say` returns, or the text of its exception, in a child process of user and group nobody. Needs root. The child
/// is alone in it: no threads.
inline std::string as_nobody(const std::function<std::string()>& say) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    return "pipe failed";
  }
  const pid_t child = fork();
  if (child == 0) {
    std::string said = "cannot become nobody";
    if (setgroups(0, nullptr) == 0 && setresgid(kNobody, kNobody, kNobody) == 0 &&
        setresuid(kNobody, kNobody, kNobody) == 0) {
      try {
        said = say();
      } catch (const std::exception& error) {
        said = error.what();
      }
    }
    [[maybe_unused]] const ssize_t written = write(ends[1], said.data(), said.size());
    _exit(0);
  }
  close(ends[1]);
  std::string said(4096, '\0');
  const ssize_t bytes = read(ends[0], said.data(), said.size());
  close(ends[0]);
  waitpid(child, nullptr, 0);
  said.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return said;
}

}  // namespace hilgate::test
