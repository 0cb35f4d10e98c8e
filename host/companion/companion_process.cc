// SPDX-License-Identifier: Apache-2.0
#include "host/companion/companion_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <system_error>

#include "host/file_descriptor.h"
#include "host/log/log.h"
#include "host/processors.h"

namespace hilgate {

/// Written by the process that starts the work again.
struct CompanionProcess::Shared {
  std::atomic<std::int64_t> since{0};  // the last start, by steady_clock, ns
  std::atomic<std::uint32_t> ends{0};  // of the work
  std::atomic<int> status{0};          // of waitpid(), of the last end or halt
  std::atomic<bool> works{true};       // there is a process, and it is not halted
};

void CompanionProcess::Unmap::operator()(Shared* shared) const {
  ::munmap(shared, sizeof(Shared));
}

namespace {

constexpr int kNiceness = 10;
constexpr const char* kFirstToBeKilled = "500";  // oom_score_adj(5)
constexpr unsigned kSecondsBetweenTries = 1;
constexpr int kLooksAtEnd = 20;  // after SIGTERM, before SIGKILL
constexpr int kBetweenLooksMs = 100;

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

std::chrono::nanoseconds steady_now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

std::string end_text(int status) {
  if (WIFSTOPPED(status)) {
    return fmt::format("is halted by signal {}", WSTOPSIG(status));
  }
  return WIFSIGNALED(status) ? fmt::format("has ended with signal {}", WTERMSIG(status))
                             : fmt::format("has ended with status {}", WEXITSTATUS(status));
}

// Returns when the process has ended, with its status.
template <class Shared>
int wait_for_end(pid_t child, Shared& shared) {
  for (;;) {
    int status = 0;
    const pid_t changed = waitpid(child, &status, WUNTRACED | WCONTINUED);
    if (changed < 0 && errno == EINTR) {
      continue;
    }
    shared.status = status;
    shared.works = changed > 0 && WIFCONTINUED(status);
    if (changed < 0 || WIFEXITED(status) || WIFSIGNALED(status)) {
      return status;
    }
  }
}

// Handles SIGTERM in the process that starts the work again. Work that is halted, or waits for what does not come, ends
// as well.
void end_work(int /*signal*/) {
  const pid_t child = at_work;
  if (child > 0) {
    kill(child, SIGTERM);
    pid_t ended = 0;
    for (int i = 0; i < kLooksAtEnd && (ended = waitpid(child, nullptr, WNOHANG)) == 0; ++i) {
      poll(nullptr, 0, kBetweenLooksMs);
    }
    if (ended == 0) {
      kill(child, SIGKILL);
    }
  }
  std::_Exit(0);
}

// Repeats it until a request to end.
template <class Shared>
[[noreturn]] void keep_at_work(const CompanionProcess::Work& work, const std::set<unsigned>& cpus, Shared& shared) {
  std::signal(SIGTERM, end_work);
  std::signal(SIGINT, end_work);
  for (;;) {
    const pid_t child = fork_bound(work.what);
    if (child == 0) {
      std::signal(SIGTERM, SIG_DFL);
      std::signal(SIGINT, SIG_DFL);
      work_and_end(work, cpus);
    }
    at_work = child;
    shared.since = steady_now().count();
    shared.works = true;
    const int status = wait_for_end(child, shared);
    at_work = 0;
    ++shared.ends;
    log_failure(fmt::format("{}: {} {}; it is started again", work.name, work.what, end_text(status)));
    sleep(kSecondsBetweenTries);
  }
}

}  // namespace

void stand_back(const std::set<unsigned>& cpus) {
  stay_off(cpus);
  std::ofstream("/proc/self/oom_score_adj") << kFirstToBeKilled;
  setpriority(PRIO_PROCESS, 0, kNiceness);
}

CompanionProcess::CompanionProcess(const Work& work, const std::set<unsigned>& cpus)
    : name_(work.name), what_(work.what) {
  void* const memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    checked(-1, "memory for " + work.what);
  }
  shared_.reset(new (memory) Shared);
  process_ = fork_bound(work.what);
  if (process_ == 0) {
    keep_at_work(work, cpus, *shared_);
  }
}

CompanionProcess::~CompanionProcess() {
  if (process_ < 0) {
    return;
  }
  kill(process_, SIGTERM);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void CompanionProcess::look_at_keeper() {
  int status = 0;
  if (process_ > 0 && waitpid(process_, &status, WNOHANG) == process_) {
    process_ = -1;
    end_ = end_text(status);
    end_seen_ = std::chrono::steady_clock::now();
  }
}

// A signal to the whole group of processes ends the one that starts the work again shortly before the run itself.
std::string CompanionProcess::problem() {
  look_at_keeper();
  if (end_seen_) {
    return std::chrono::steady_clock::now() - *end_seen_ < kProof
               ? std::string()
               : fmt::format("{} {} and is not started again", what_, end_);
  }
  const std::uint32_t ends = shared_->ends;
  const bool is_proven = ends == 0 || steady_now() - std::chrono::nanoseconds{shared_->since} >= kProof;
  if (shared_->works && is_proven) {
    return {};
  }
  const int status = shared_->status;
  return WIFSTOPPED(status) ? fmt::format("{} {}", what_, end_text(status))
                            : fmt::format("{} has ended {} and is started again", what_,
                                          ends == 1 ? "once" : fmt::format("{} times", ends));
}

std::string companion_program(const std::string& name, const std::string& who) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
  if (::access(program.c_str(), X_OK) != 0) {
    throw std::runtime_error(
        fmt::format("{} needs {}, which is not installed: sudo apt install {}", who, program.string(), name));
  }
  return program.string();
}

void become(const std::string& program, const std::string& argument) {
  ::execl(program.c_str(), program.c_str(), argument.c_str(), nullptr);
  throw std::system_error(errno, std::generic_category(), program);
}

}  // namespace hilgate
