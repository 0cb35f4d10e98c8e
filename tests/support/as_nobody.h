// SPDX-License-Identifier: Apache-2.0
// A part of a test as somebody without any right.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <string>
#include <thread>

namespace hilgate::test {

inline constexpr uid_t kNobody = 65534;

/// What `say` returns, or the text of its exception, in a thread of user and group nobody. Needs root. To Linux the
/// user is a property of a thread; the calls of the C library would change it in all threads of the process. A child
/// process would find the allocator locked where another thread allocates at the moment.
inline std::string as_nobody(const std::function<std::string()>& say) {
  std::string said = "cannot become nobody";
  std::thread([&] {
    if (syscall(SYS_setgroups, 0, nullptr) == 0 && syscall(SYS_setresgid, kNobody, kNobody, kNobody) == 0 &&
        syscall(SYS_setresuid, kNobody, kNobody, kNobody) == 0) {
      try {
        said = say();
      } catch (const std::exception& error) {
        said = error.what();
      }
    }
  }).join();
  return said;
}

}  // namespace hilgate::test
