// SPDX-License-Identifier: Apache-2.0
#include "host/process.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "host/file_descriptor.h"

namespace hilgate {
namespace {

enum class Output : std::uint8_t { kDiscarded, kAsErrors, kAlone };

/// Where a child's standard streams go: nothing in, errors into a pipe, output nowhere or into the same; or output
/// alone into the pipe, and errors where this process's go.
class SpawnActions {
 public:
  SpawnActions(int pipe, Output output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (output == Output::kDiscarded) {
      posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    } else {
      posix_spawn_file_actions_adddup2(&actions_, pipe, STDOUT_FILENO);
    }
    if (output != Output::kAlone) {
      posix_spawn_file_actions_adddup2(&actions_, pipe, STDERR_FILENO);
    }
  }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// Returns an error number.
int spawn(std::span<const std::string> arguments, int pipe, Output output, pid_t& child) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));  // posix_spawn does not write to them
  }
  pointers.push_back(nullptr);
  const SpawnActions actions(pipe, output);
  return posix_spawnp(&child, pointers[0], actions.get(), nullptr, pointers.data(), environ);
}

std::string read_all(int descriptor, std::size_t most_bytes = std::string::npos) {
  std::string text;
  std::array<char, 65536> part{};
  while (text.size() < most_bytes) {
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
  pid_t child = 0;
  if (const int error = spawn(arguments, writer.get(), output, child); error != 0) {
    throw std::runtime_error(fmt::format("cannot run '{}': {}", fmt::join(arguments, " "), std::strerror(error)));
  }
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

void leave_signals_to_others() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

ProcessResult run_process(std::span<const std::string> arguments) {
  return run_to_end(arguments, Output::kDiscarded);
}

std::string run_for_output(const std::vector<std::string>& arguments) {
  ProcessResult result = run_to_end(arguments, Output::kAsErrors);
  require_success(result, arguments);
  return std::move(result.errors);
}

ProcessAnswer run_for_answer(const std::vector<std::string>& arguments, std::size_t most_bytes) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe2");
  }
  FileDescriptor reader(ends[0]);
  FileDescriptor writer(ends[1]);
  pid_t child = 0;
  if (const int error = spawn(arguments, writer.get(), Output::kAlone, child); error != 0) {
    throw std::system_error(error, std::generic_category(), fmt::format("cannot run '{}'", arguments.front()));
  }
  writer.close();
  ProcessAnswer answer;
  answer.output = read_all(reader.get(), most_bytes);
  reader.close();
  answer.status = wait_for(child);
  return answer;
}

void run_or_throw(const std::vector<std::string>& arguments) {
  require_success(run_process(arguments), arguments);
}

void attach_pass_program(const std::string& interface) {
  // r0 = XDP_PASS; exit
  constexpr std::array<bpf_insn, 2> kPass = {bpf_insn{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, XDP_PASS},
                                             bpf_insn{BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
  bpf_prog_load_opts options{};
  options.sz = sizeof(options);
  options.prog_flags = BPF_F_XDP_HAS_FRAGS;  // without it, veth would limit the MTU to one page
  const FileDescriptor program(
      bpf_prog_load(BPF_PROG_TYPE_XDP, "hilgate_pass", "Dual BSD/GPL", kPass.data(), kPass.size(), &options));
  if (!program.valid()) {
    throw std::runtime_error(fmt::format("cannot load the XDP pass program: {}", std::strerror(errno)));
  }
  const auto index = static_cast<int>(if_nametoindex(interface.c_str()));
  const int error = bpf_xdp_attach(index, program.get(), XDP_FLAGS_DRV_MODE | XDP_FLAGS_UPDATE_IF_NOEXIST, nullptr);
  if (error != 0) {
    throw std::runtime_error(
        fmt::format("interface {}: cannot attach an XDP program: {}", interface, std::strerror(-error)));
  }
}

namespace {

// The innermost service of a path "/system.slice/hilgate.service/part". One that leaves our namespace of control groups
// belongs to another service.
std::string innermost_service(std::string_view path) {
  if (path.starts_with("/..")) {
    return "";
  }
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::string_view last = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
    if (last.ends_with(".service")) {
      return std::string(last);
    }
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
  return "";
}

}  // namespace

std::string service_unit_in(std::string_view cgroups) {
  while (!cgroups.empty()) {
    const std::string_view line = cgroups.substr(0, cgroups.find('\n'));
    cgroups.remove_prefix(std::min(line.size() + 1, cgroups.size()));
    // "0::PATH" of the one hierarchy; "1:name=systemd:PATH" next to the old ones.
    if (line.starts_with("0::") || line.find(":name=systemd:") != std::string_view::npos) {
      if (std::string unit = innermost_service(line.substr(line.find(':', line.find(':') + 1) + 1)); !unit.empty()) {
        return unit;
      }
    }
  }
  return "";
}

std::string service_unit(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/cgroup", process));
  return service_unit_in(std::string(std::istreambuf_iterator<char>(file), {}));
}

namespace {

// '\0' where there is no such process. The name before it is in parentheses and may have any characters.
char state_letter(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t name = text.rfind(") ");
  return name == std::string::npos || name + 2 >= text.size() ? '\0' : text[name + 2];
}

}  // namespace

std::string process_state(pid_t process) {
  switch (const char letter = state_letter(process)) {
    case '\0':
      return {};
    case 'R':
      return "running";
    case 'S':
      return "sleeping";
    case 'D':
      return "waiting for a device";
    case 'T':
      return "stopped by a signal";
    case 't':
      return "stopped by a debugger";
    case 'Z':
    case 'X':
      return "ended";
    default:
      return {letter};
  }
}

bool is_process_halted(pid_t process) {
  constexpr std::string_view kHalted = "TtZX";
  return kHalted.find(state_letter(process)) != std::string_view::npos;
}

}  // namespace hilgate
