// SPDX-License-Identifier: Apache-2.0
#include "tests/clock/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

#include "host/file_descriptor.h"

namespace hilgate::testing {
namespace {

pid_t start(const std::vector<std::string>& command, int output) {
  std::vector<char*> words;
  for (const std::string& word : command) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  const pid_t pid = checked(fork(), "fork");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execvp(words[0], words.data());
    _exit(127);
  }
  return pid;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::filesystem::path& log) {
  const FileDescriptor output{
      checked(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), "open " + log.native())};
  pid_ = start(command, output.get());
}

void ChildProcess::stop(bool hard) {
  if (pid_ > 0) {
    kill(pid_, hard ? SIGKILL : SIGTERM);
    kill(pid_, SIGCONT);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
}

void ChildProcess::pause() {
  kill(pid_, SIGSTOP);
}
void ChildProcess::proceed() {
  kill(pid_, SIGCONT);
}

bool ChildProcess::is_running() {
  if (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) {
    pid_ = -1;
  }
  return pid_ > 0;
}

std::string run(const std::vector<std::string>& command) {
  int ends[2];
  checked(pipe2(ends, O_CLOEXEC), "pipe");
  const FileDescriptor reader{ends[0]};
  FileDescriptor writer{ends[1]};
  const pid_t pid = start(command, writer.get());
  writer = FileDescriptor{};
  std::string said;
  std::array<char, 4096> buffer;
  for (ssize_t length = 0; (length = read(reader.get(), buffer.data(), buffer.size())) > 0;) {
    said.append(buffer.data(), static_cast<std::size_t>(length));
  }
  int status = 0;
  waitpid(pid, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::string words;
    for (const std::string& word : command) {
      words += word + " ";
    }
    throw std::runtime_error(words + "failed: " + said);
  }
  return said;
}

}  // namespace hilgate::testing
