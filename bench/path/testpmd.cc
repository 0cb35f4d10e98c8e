// SPDX-License-Identifier: Apache-2.0
#include "bench/path/testpmd.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

namespace hilgate {
namespace {

constexpr int kNotFound = 127;

std::vector<std::string> arguments(const BenchCore& core, std::uint32_t frame_size) {
  const auto device = [&](int n) { return fmt::format("net_null{},size={},copy=1", n, frame_size); };
  return {"dpdk-testpmd",
          "--lcores",
          fmt::format("0@{},1@{}", core.first(), core.measured()),
          "--no-pci",
          "--no-huge",
          "-m",
          "128",
          "--no-telemetry",
          "--log-level",
          "error",
          "--file-prefix",
          fmt::format("hilgate-testpmd-{}", ::getpid()),
          "--vdev",
          device(0),
          "--vdev",
          device(1),
          "--",
          "--forward-mode=io",
          "--auto-start",
          "--nb-cores=1",
          "--burst=64",
          "--stats-period=1",
          "--no-lsc-interrupt",
          "--total-num-mbufs=16384"};
}

/// testpmd, its output in a pipe; gone with this object.
class Testpmd {
 public:
  Testpmd(const BenchCore& core, std::uint32_t frame_size) {
    std::vector<std::string> words = arguments(core, frame_size);
    std::vector<char*> argv;
    for (std::string& word : words) {
      argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error(fmt::format("pipe2: {}", std::strerror(errno)));
    }
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) {
      become(argv.data(), ends[1], parent);
    }
    ::close(ends[1]);
    output_ = ::fdopen(ends[0], "r");
  }
  ~Testpmd() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    std::fclose(output_);
  }
  Testpmd(const Testpmd&) = delete;
  Testpmd& operator=(const Testpmd&) = delete;

  /// The next line of its output; empty at the end.
  std::optional<std::string> line() {
    std::array<char, 512> text{};
    if (std::fgets(text.data(), text.size(), output_) == nullptr) {
      return std::nullopt;
    }
    return std::string(text.data());
  }
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  [[noreturn]] static void become(char** argv, int output, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int silence = ::open("/dev/null", O_RDWR);
    ::dup2(silence, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    if (::getppid() == parent) {
      ::execvp(argv[0], argv);
    }
    ::_exit(errno == ENOENT ? kNotFound : 126);
  }

  pid_t pid_ = -1;
  FILE* output_ = nullptr;
};

std::optional<double> rx_pps(const std::string& line) {
  constexpr std::string_view kKey = "Rx-pps:";
  const auto at = line.find(kKey);
  return at == std::string::npos ? std::nullopt : std::optional(std::strtod(line.c_str() + at + kKey.size(), nullptr));
}

}  // namespace

// Every second it prints each port's rate since the time before. The first two are of starting up.
std::optional<double> testpmd_pps(const BenchCore& core, std::uint32_t frame_size, unsigned seconds) {
  constexpr unsigned kPorts = 2;
  constexpr unsigned kWarmUpLines = 2 * kPorts;
  Testpmd testpmd(core, frame_size);
  std::deque<std::string> last_lines;
  double sum = 0;
  unsigned seen = 0;
  while (const auto line = testpmd.line()) {
    last_lines.push_back(*line);
    if (last_lines.size() > 3) {
      last_lines.pop_front();
    }
    if (const auto rate = rx_pps(*line)) {
      sum += seen >= kWarmUpLines ? *rate : 0;
      if (++seen == kWarmUpLines + seconds * kPorts) {
        return sum / seconds;
      }
    }
  }
  const int status = testpmd.wait();
  if (status == kNotFound) {
    return std::nullopt;
  }
  std::string words;
  for (const std::string& line : last_lines) {
    words += line;
  }
  throw std::runtime_error(fmt::format("dpdk-testpmd ended with status {}: {}", status, words));
}

}  // namespace hilgate
