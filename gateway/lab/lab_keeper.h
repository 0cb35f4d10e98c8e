// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace hilgate {

/// A process, distinct from all others that have or will have its number.
struct KeptProcess {
  pid_t process = 0;        // 0: there is no such process
  std::uint64_t since = 0;  // start time, clock ticks since the machine started (proc_pid_stat(5), field 22)
};

/// A program that outlives the command that starts it, and what is left of it.
struct KeptProgram {
  std::vector<std::string> command;  // found through PATH
  std::string netns;                 // whose network it has; empty: the caller's
  std::string tap;               // TAP device of the caller's network, open in the program as kTapDescriptor; empty: no
  std::filesystem::path output;  // the last of what it writes, at most kMostOutput bytes; for the group
  std::filesystem::path end;     // written when it ends: how, one line
};

inline constexpr int kTapDescriptor = 3;
inline constexpr std::size_t kMostOutput = std::size_t{256} << 10;

/// Starts a program with a process next to it that reads what it writes, waits for its end, and ends it when asked to.
/// Whatever ends that process ends the program, too. `record` is called with that process before the program starts; if
/// the caller dies before it returns, the program does not start. The caller has one thread. Throws std::system_error,
/// and what `record` throws.
void start_kept(const KeptProgram& program, const std::function<void(const KeptProcess&)>& record);

[[nodiscard]] bool is_there(const KeptProcess& keeper);

/// SIGTERM to the program, SIGKILL after kGrace s; returns when both processes have ended.
void stop_kept(const KeptProcess& keeper);

inline constexpr int kGrace = 3;

}  // namespace hilgate
