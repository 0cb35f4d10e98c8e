// SPDX-License-Identifier: Apache-2.0
#include "host/companion/companion_process.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>

#include "host/file_descriptor.h"
#include "host/log/journal.h"
#include "host/processors.h"

namespace hilgate {
namespace {

constexpr int kNiceness = 10;
constexpr const char* kFirstToBeKilled = "500";  // oom_score_adj(5)
constexpr unsigned kSecondsBetweenTries = 1;

// A process that ends with its parent. Returns 0 in it.
pid_t fork_bound(const std::string& what) {
  const pid_t parent = getpid();
  const pid_t child = checked(fork(), "start " + what);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
      std::_Exit(0);
    }
  }
  return child;
}

[[noreturn]] void work_and_end(const CompanionProcess::Work& work, const std::set<unsigned>& cpus) {
  int status = 0;
  try {
    stand_back(cpus);
    work.body();
  } catch (const std::exception& error) {
    log_failure(fmt::format("{}: {}", work.name, error.what()));
    status = 1;
  }
  std::_Exit(status);
}

volatile std::sig_atomic_t at_work = 0;

// Has it done again and again, until it is told to end.
[[noreturn]] void keep_at_work(const CompanionProcess::Work& work, const std::set<unsigned>& cpus) {
  const auto pass_on = [](int) {
    if (at_work > 0) {
      kill(at_work, SIGTERM);
    }
    std::_Exit(0);
  };
  std::signal(SIGTERM, pass_on);
  std::signal(SIGINT, pass_on);
  for (;;) {
    const pid_t child = fork_bound(work.what);
    if (child == 0) {
      std::signal(SIGTERM, SIG_DFL);
      std::signal(SIGINT, SIG_DFL);
      work_and_end(work, cpus);
    }
    at_work = child;
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    at_work = 0;
    log_failure(fmt::format("{}: {} has ended with {} {}; it is started again", work.name, work.what,
                            WIFSIGNALED(status) ? "signal" : "status",
                            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)));
    sleep(kSecondsBetweenTries);
  }
}

}  // namespace

void stand_back(const std::set<unsigned>& cpus) {
  stay_off(cpus);
  std::ofstream("/proc/self/oom_score_adj") << kFirstToBeKilled;
  setpriority(PRIO_PROCESS, 0, kNiceness);
}

CompanionProcess::CompanionProcess(const Work& work, const std::set<unsigned>& cpus) : process_(fork_bound(work.what)) {
  if (process_ == 0) {
    keep_at_work(work, cpus);
  }
}

CompanionProcess::~CompanionProcess() {
  kill(process_, SIGTERM);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace hilgate
