// SPDX-License-Identifier: Apache-2.0
#include "gateway/web/web_process.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <utility>

#include "host/confinement.h"
#include "host/log/journal.h"
#include "host/socket_path.h"

namespace hilgate {
namespace {

constexpr int kNiceness = 10;
constexpr const char* kFirstToBeKilled = "500";  // oom_score_adj(5)
constexpr unsigned kSecondsBetweenTries = 1;

void stay_off(const std::set<unsigned>& cpus) {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) {
    return;
  }
  for (const unsigned cpu : cpus) {
    CPU_CLR(cpu, &mask);
  }
  if (CPU_COUNT(&mask) > 0) {
    sched_setaffinity(0, sizeof mask, &mask);
  }
}

// A process that ends with its parent. Returns 0 in it.
pid_t fork_bound() {
  const pid_t parent = getpid();
  const pid_t child = checked(fork(), "start the process of the web page");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
      std::_Exit(0);
    }
  }
  return child;
}

[[noreturn]] void serve_and_end(const WebPage& page, WebEntrance entrance, const std::set<unsigned>& cpus) {
  int status = 0;
  try {
    confine_page(cpus);
    serve_page(page, std::move(entrance));
  } catch (const std::exception& error) {
    log_failure(fmt::format("web: {}", error.what()));
    status = 1;
  }
  std::_Exit(status);
}

volatile std::sig_atomic_t served = 0;

// Has the page served, again and again, until it is told to end.
[[noreturn]] void keep_serving(const WebPage& page, WebEntrance entrance, const std::set<unsigned>& cpus) {
  const auto pass_on = [](int) {
    if (served > 0) {
      kill(served, SIGTERM);
    }
    std::_Exit(0);
  };
  std::signal(SIGTERM, pass_on);
  std::signal(SIGINT, pass_on);
  for (;;) {
    const pid_t child = fork_bound();
    if (child == 0) {
      std::signal(SIGTERM, SIG_DFL);
      std::signal(SIGINT, SIG_DFL);
      serve_and_end(page, std::move(entrance), cpus);
    }
    served = child;
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    served = 0;
    log_failure(fmt::format("web: the process of the page has ended with {} {}; it is started again",
                            WIFSIGNALED(status) ? "signal" : "status",
                            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)));
    sleep(kSecondsBetweenTries);
  }
}

}  // namespace

void confine_page(const std::set<unsigned>& cpus) {
  stay_off(cpus);
  std::ofstream("/proc/self/oom_score_adj") << kFirstToBeKilled;
  setpriority(PRIO_PROCESS, 0, kNiceness);
  confine({});
}

WebProcess::WebProcess(const WebPage& page, const std::set<unsigned>& cpus) : socket_(page.config.listen.socket) {
  WebEntrance entrance = open_entrance(page.config);
  const std::string text = fmt::format("web page at {}{}", entrance.address,
                                       entrance.token.empty() ? "" : "#token=..., with the token of `token_file`");
  process_ = fork_bound();
  if (process_ == 0) {
    keep_serving(page, std::move(entrance), cpus);
  }
  log_readiness(text);
}

WebProcess::~WebProcess() {
  kill(process_, SIGTERM);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!socket_.empty()) {
    remove_socket_path(socket_);
  }
}

}  // namespace hilgate
