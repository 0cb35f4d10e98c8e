// SPDX-License-Identifier: Apache-2.0
#include "host/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "host/file_descriptor.h"

namespace hilgate {
namespace {

enum class Output : std::uint8_t { kDiscarded, kAsErrors };

/// Where a child's standard streams go: nothing in, errors into a pipe, output nowhere or into the same.
class SpawnActions {
 public:
  SpawnActions(int errors, Output output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (output == Output::kAsErrors) {
      posix_spawn_file_actions_adddup2(&actions_, errors, STDOUT_FILENO);
    } else {
      posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
  }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

pid_t spawn(std::span<const std::string> arguments, int errors, Output output) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn does not write to them
  }
  pointers.push_back(nullptr);
  const SpawnActions actions(errors, output);
  pid_t child = 0;
  const int error = posix_spawnp(&child, pointers[0], actions.get(), nullptr, pointers.data(), environ);
  if (error != 0) {
    throw std::runtime_error(fmt::format("cannot run '{}': {}", fmt::join(arguments, " "), std::strerror(error)));
  }
  return child;
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t count = ::read(descriptor, part.data(), part.size());
    if (count > 0) {
      text.append(part.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      break;
    }
  }
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return text;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      throw std::runtime_error(fmt::format("waitpid {}: {}", child, std::strerror(errno)));
    }
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

ProcessResult run_to_end(std::span<const std::string> arguments, Output output) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(fmt::format("pipe2: {}", std::strerror(errno)));
  }
  const FileDescriptor reader(ends[0]);
  FileDescriptor writer(ends[1]);
  const pid_t child = spawn(arguments, writer.get(), output);
  writer.close();
  ProcessResult result;
  result.errors = read_all(reader.get());
  result.status = wait_for(child);
  return result;
}

void require_success(const ProcessResult& result, std::span<const std::string> arguments) {
  if (result.status != 0) {
    throw std::runtime_error(fmt::format("'{}' failed with status {}: {}", fmt::join(arguments, " "), result.status,
                                         result.errors.empty() ? "no output" : result.errors));
  }
}

}  // namespace

ProcessResult run_process(std::span<const std::string> arguments) {
  return run_to_end(arguments, Output::kDiscarded);
}

std::string run_for_output(const std::vector<std::string>& arguments) {
  ProcessResult result = run_to_end(arguments, Output::kAsErrors);
  require_success(result, arguments);
  return std::move(result.errors);
}

void run_or_throw(const std::vector<std::string>& arguments) {
  require_success(run_process(arguments), arguments);
}

}  // namespace hilgate
