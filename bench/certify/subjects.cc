// SPDX-License-Identifier: Apache-2.0
#include "bench/certify/subjects.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "host/file_descriptor.h"

namespace hilgate {
namespace {

constexpr std::string_view kPrefix = "hilgate-certify-";

std::optional<pid_t> process_of(const std::string& name) {
  pid_t process = 0;
  if (!name.starts_with(kPrefix)) {
    return std::nullopt;
  }
  const char* end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + kPrefix.size(), end, process);
  return error == std::errc{} && at == end && process > 0 ? std::optional(process) : std::nullopt;
}

bool is_ours(const std::filesystem::path& folder) {
  struct stat found {};
  return ::lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == ::geteuid();
}

}  // namespace

std::filesystem::path make_private_folder(pid_t process) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("{}{}", kPrefix, process);
  if (::mkdir(folder.c_str(), 0700) != 0) {
    throw std::runtime_error(fmt::format("{}: {}", folder.string(), std::strerror(errno)));
  }
  return folder;
}

void remove_private_folders(pid_t ended) noexcept {
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(std::filesystem::temp_directory_path(ignored), ignored), none;
       entry != none; entry.increment(ignored)) {
    const auto process = process_of(entry->path().filename());
    const bool is_over = process && (*process == ended || (::kill(*process, 0) != 0 && errno == ESRCH));
    if (is_over && is_ours(entry->path())) {
      std::filesystem::remove_all(entry->path(), ignored);
    }
  }
}

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr auto kDescendantsPatience = 10s;

bool has_mounts_of_its_own() {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", "/run", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") == 0 &&
         ::mount("bpf", "/sys/fs/bpf", "bpf", 0, nullptr) == 0;
}

void write_line(int pipe, const nlohmann::json& json) {
  const std::string line = json.dump() + "\n";
  if (::write(pipe, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    ::_exit(1);  // the reader is gone
  }
}

[[noreturn]] void be_child(int pipe, int errors, const std::function<void(const CertifySay&)>& measure, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) {
    ::_exit(1);
  }
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  const int silence = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(silence, STDIN_FILENO);
  ::dup2(silence, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  try {
    if (!has_mounts_of_its_own()) {  // DPDK has its files there
      ::setenv("XDG_RUNTIME_DIR", make_private_folder(::getpid()).c_str(), 1);
    }
    measure([pipe](std::string_view figure, double value) {
      write_line(pipe, {{"figure", figure}, {"value", value}});
    });
  } catch (const std::exception& error) {
    write_line(pipe, {{"failure", error.what()}});
  }
  std::fflush(nullptr);
  ::_exit(0);
}

/// Reads lines of the pipe into samples and the failure.
class Lines {
 public:
  Lines(CertifySamples& samples, ChildEnd& end) : samples_(samples), end_(end) {}

  /// False at the end of the pipe.
  bool read(int pipe) {
    std::array<char, 4096> piece{};
    const ssize_t got = ::read(pipe, piece.data(), piece.size());
    if (got <= 0) {
      return got < 0 && errno == EINTR;
    }
    text_.append(piece.data(), static_cast<std::size_t>(got));
    for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
      take(nlohmann::json::parse(text_.substr(0, end)));
      text_.erase(0, end + 1);
    }
    return true;
  }

 private:
  void take(const nlohmann::json& line) {
    if (line.contains("failure")) {
      end_.failure = line.at("failure").get<std::string>();
    } else if (line.at("value").is_number()) {  // not a number that JSON has not
      samples_[line.at("figure").get<std::string>()].push_back(line.at("value").get<double>());
    }
  }

  CertifySamples& samples_;
  ChildEnd& end_;
  std::string text_;
};

std::string last_line_of(int file) {
  std::array<char, 400> text{};
  const off_t size = ::lseek(file, 0, SEEK_END);
  const off_t from = std::max<off_t>(0, size - static_cast<off_t>(text.size()));
  const ssize_t got = ::pread(file, text.data(), text.size(), from);
  std::string tail(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  while (!tail.empty() && tail.back() == '\n') {
    tail.pop_back();
  }
  return tail.substr(tail.rfind('\n') + 1);  // npos + 1 is 0
}

// Gateways and simulators that a child has left are ours now, and on their way out.
void wait_for_descendants() {
  const auto end = steady_clock::now() + kDescendantsPatience;
  while (::waitpid(-1, nullptr, WNOHANG) >= 0 && steady_clock::now() < end) {
    std::this_thread::sleep_for(5ms);
  }
}

}  // namespace

ChildEnd run_measuring_child(const std::function<void(const CertifySay& say)>& measure,
                             const std::function<bool()>& stop, CertifySamples& samples) {
  const FileDescriptor errors(::memfd_create("errors", MFD_CLOEXEC));
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(fmt::format("pipe2: {}", std::strerror(errno)));
  }
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
  }
  if (child == 0) {
    be_child(writing.get(), errors.get(), measure, parent);
  }
  writing = FileDescriptor();
  ChildEnd end;
  Lines lines(samples, end);
  for (bool open = true; open && !end.stopped;) {
    end.stopped = stop();
    pollfd ready{reading.get(), POLLIN, 0};
    open = ::poll(&ready, 1, 100) <= 0 || lines.read(reading.get());
  }
  if (end.stopped) {
    ::kill(child, SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  wait_for_descendants();
  remove_private_folders(child);
  const std::string said = last_line_of(errors.get());
  if (WIFSIGNALED(status) && !end.stopped) {
    end.failure = fmt::format("the measuring process was ended by signal {}", WTERMSIG(status));
  }
  if (!end.failure.empty() && !said.empty()) {
    end.failure += " (" + said + ")";
  }
  return end;
}

}  // namespace hilgate
