// SPDX-License-Identifier: Apache-2.0
#include "tests/support/process.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace hilgate::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

[[noreturn]] void exec_child(std::vector<char*>& argv, int output, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) {  // it died before the line above
    ::_exit(127);
  }
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

std::string join(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += (line.empty() ? "" : " ") + word;
  }
  return line;
}

}  // namespace

Process::Process(const std::vector<std::string>& argv) {
  output_ = ::memfd_create("output", MFD_CLOEXEC);
  if (output_ < 0) {
    throw std::system_error(errno, std::generic_category(), "memfd_create");
  }
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  for (const std::string& word : argv) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    exec_child(words, output_, parent);
  }
  pidfd_ = pid_ < 0 ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (pidfd_ < 0) {
    throw std::system_error(errno, std::generic_category(), "starting " + join(argv));
  }
}

Process::~Process() {
  stop();
  ::close(pidfd_);
  ::close(output_);
}

void Process::stop(int number) {
  signal(number);
  if (!wait(milliseconds{2000})) {
    signal(SIGKILL);
    wait(milliseconds{2000});
  }
}

void Process::signal(int number) const {
  if (!status_) {
    ::kill(pid_, number);
  }
}

std::optional<int> Process::wait(milliseconds limit) {
  if (status_) {
    return status_;
  }
  pollfd ended{pidfd_, POLLIN, 0};
  if (::poll(&ended, 1, static_cast<int>(limit.count())) == 1) {
    int raw = 0;
    ::waitpid(pid_, &raw, 0);
    status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  }
  return status_;
}

std::string Process::output() const {
  struct stat file {};
  ::fstat(output_, &file);
  std::string text(static_cast<std::size_t>(file.st_size), '\0');
  const ssize_t got = ::pread(output_, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

bool Process::wait_for_output(const std::string& text, milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  while (output().find(text) == std::string::npos) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || wait(std::min(left, milliseconds{10}))) {
      return output().find(text) != std::string::npos;
    }
  }
  return true;
}

Finished run(const std::vector<std::string>& argv) {
  Process process(argv);
  const std::optional<int> status = process.wait(std::chrono::minutes{1});
  if (!status) {
    throw std::runtime_error("still running after a minute: " + join(argv) + "\n" + process.output());
  }
  return {*status, process.output()};
}

std::string run_ok(const std::vector<std::string>& argv) {
  Finished finished = run(argv);
  if (finished.status != 0) {
    throw std::runtime_error("status " + std::to_string(finished.status) + " from: " + join(argv) + "\n" +
                             finished.output);
  }
  return finished.output;
}

}  // namespace hilgate::test
