// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hilgate {

/// Signals that ask this process to end (INT, TERM, HUP) wait as long as this lives, also for programs started
/// meanwhile: work that must not stop half-way asks pending() where it may stop. They arrive at the end of the scope.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&ending_);
    sigaddset(&ending_, SIGINT);
    sigaddset(&ending_, SIGTERM);
    sigaddset(&ending_, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ending_, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  [[nodiscard]] bool pending() const {
    sigset_t waiting;
    sigpending(&waiting);
    return sigismember(&waiting, SIGINT) == 1 || sigismember(&waiting, SIGTERM) == 1 ||
           sigismember(&waiting, SIGHUP) == 1;
  }

 private:
  sigset_t ending_{};
  sigset_t before_{};
};

/// The calling thread, and those that it starts, get no signals: they are for the control thread.
void leave_signals_to_others() noexcept;

/// How another program ended, and its output.
struct ProcessResult {
  int status = 0;      // exit status; 128 + signal when a signal ended it
  std::string errors;  // standard error, trailing newline removed
};

/// Runs a program found through PATH to its end, standard output discarded. No shell is involved: arguments are
/// passed as they are. Throws std::runtime_error when it cannot be started.
ProcessResult run_process(std::span<const std::string> arguments);

/// What a program printed, errors included, without the last newline. Throws std::runtime_error as run_or_throw().
std::string run_for_output(const std::vector<std::string>& arguments);

/// What a program writes to standard output, and its status, as that of a ProcessResult.
struct ProcessAnswer {
  int status = 0;
  std::string output;
};
/// Runs a program to its end; what it writes to standard error goes where that of this process does. Of more than
/// `most_bytes` the rest is not read, which ends the program by SIGPIPE. Throws std::system_error when it cannot be
/// started.
ProcessAnswer run_for_answer(const std::vector<std::string>& arguments, std::size_t most_bytes);

/// As run_process(), but a status other than 0 is a std::runtime_error with the command and its output.
void run_or_throw(const std::vector<std::string>& arguments);

/// Attaches an XDP program that passes every frame to an interface of the calling thread's namespace.
///
/// A veth end takes frames that were redirected to its peer by XDP only while it polls (NAPI), which it does while
/// it has a program of its own. The program stays with the interface and needs no process. Attaching turns GRO on
/// (the kernel's veth driver does), so turn offloads off afterwards. Throws std::runtime_error.
void attach_pass_program(const std::string& interface);

/// What a process does, as proc_pid_stat(5) names its state: "running", "sleeping", "stopped by a signal"; empty where
/// there is no such process.
[[nodiscard]] std::string process_state(pid_t process);
/// Whether it is stopped until continued, or has ended.
[[nodiscard]] bool is_process_halted(pid_t process);

/// The systemd service that a process belongs to, "hilgate@lab.service", by its control group; empty when it belongs
/// to none, or to one that cannot be seen from here.
[[nodiscard]] std::string service_unit(pid_t process);

/// The same of the text of /proc/PID/cgroup (cgroups(7)).
[[nodiscard]] std::string service_unit_in(std::string_view cgroups);

}  // namespace hilgate
