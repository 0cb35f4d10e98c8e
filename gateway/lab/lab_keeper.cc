// SPDX-License-Identifier: Apache-2.0
#include "gateway/lab/lab_keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "config/plain_text.h"
#include "host/file_descriptor.h"
#include "host/netns.h"
#include "host/plain_file.h"
#include "host/shared_files.h"

namespace hilgate {
namespace {

using std::chrono::steady_clock;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    checked(::pipe2(ends.data(), O_CLOEXEC), "make a pipe");
    reader = FileDescriptor(ends[0]);
    writer = FileDescriptor(ends[1]);
  }
  FileDescriptor reader, writer;
};

std::uint64_t start_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t name = text.rfind(") ");
  if (name == std::string::npos || text.compare(name + 2, 1, "Z") == 0) {
    return 0;  // one that waits to be reaped has ended
  }
  std::size_t at = name + 1;
  for (int field = 3; field < 22 && at != std::string::npos; ++field) {
    at = text.find(' ', at + 1);
  }
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at, nullptr, 10);
}

/// The last of what a program writes, in a file.
class Tail {
 public:
  explicit Tail(const std::filesystem::path& path)
      : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640)) {
    if (file_.valid()) {
      share_with_group(file_.get());
    }
  }
  void add(std::string_view part) {
    text_.append(part);
    if (written_ + part.size() <= kMostOutput) {
      written_ += put(part, static_cast<off_t>(written_));
      return;
    }
    text_.erase(0, text_.size() - std::min(text_.size(), kMostOutput / 2));
    if (::ftruncate(file_.get(), 0) == 0) {
      written_ = put(text_, 0);
    }
  }
  /// The last line that has a letter or digit: rules and frames tell nothing.
  [[nodiscard]] std::string last_line() const {
    const auto is_word = [](unsigned char letter) { return std::isalnum(letter) != 0; };
    const auto word = std::find_if(text_.rbegin(), text_.rend(), is_word);
    const auto begin = std::find(word, text_.rend(), '\n').base();
    const auto end =
        std::find_if(word.base(), text_.end(), [](char letter) { return letter == '\n' || letter == '\r'; });
    return word == text_.rend() ? "" : std::string(begin, end);
  }

 private:
  std::size_t put(std::string_view part, off_t at) const {
    const ssize_t count = ::pwrite(file_.get(), part.data(), part.size(), at);
    return count > 0 ? static_cast<std::size_t>(count) : 0;
  }

  FileDescriptor file_;
  std::string text_;  // at most kMostOutput bytes and one part
  std::size_t written_ = 0;
};

FileDescriptor open_tap(const std::string& name) {
  FileDescriptor tun(checked(::open("/dev/net/tun", O_RDWR | O_CLOEXEC), "open /dev/net/tun"));
  ifreq request{};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  // A program of before that was killed closes it in its own time.
  const auto limit = steady_clock::now() + std::chrono::seconds(kGrace);
  while (::ioctl(tun.get(), TUNSETIFF, &request) != 0) {
    if (errno != EBUSY || steady_clock::now() >= limit) {
      throw std::system_error(errno, std::generic_category(), "open the TAP device " + name);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return tun;
}

[[noreturn]] void become_program(const KeptProgram& program, int output, pid_t keeper) {
  try {
    checked(::prctl(PR_SET_PDEATHSIG, SIGKILL), "end with the keeper");
    if (::getppid() != keeper) {
      ::_exit(1);
    }
    checked(::dup2(output, STDOUT_FILENO), "its output");
    checked(::dup2(output, STDERR_FILENO), "its errors");
    FileDescriptor tap;
    if (!program.tap.empty()) {
      tap = open_tap(program.tap);  // before the namespace, where it is not
      checked(tap.get() == kTapDescriptor ? ::fcntl(tap.get(), F_SETFD, 0) : ::dup2(tap.get(), kTapDescriptor),
              "keep the TAP device open");
    }
    std::optional<NetnsScope> inside;
    if (!program.netns.empty()) {
      inside.emplace(program.netns);
    }
    std::vector<char*> pointers;
    for (const std::string& word : program.command) {
      pointers.push_back(const_cast<char*>(word.c_str()));  // execvp does not write to them
    }
    pointers.push_back(nullptr);
    ::close_range(tap.valid() ? kTapDescriptor + 1 : kTapDescriptor, ~0U, CLOSE_RANGE_CLOEXEC);
    sigset_t nothing;
    sigemptyset(&nothing);
    ::sigprocmask(SIG_SETMASK, &nothing, nullptr);
    ::execvp(pointers[0], pointers.data());
    checked(-1, fmt::format("cannot run '{}'", program.command.front()));
  } catch (const std::exception& error) {
    const std::string text = fmt::format("{}\n", error.what());
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
  }
  ::_exit(127);
}

constexpr std::size_t kLongestLine = 400;  // of what a report of an end quotes, bytes

/// The process next to a program, from the program's start to its end.
class Keeper {
 public:
  Keeper(const KeptProgram& program, int signals) : program_(program), tail_(program.output), signals_(signals) {}

  void run() {
    const pid_t self = ::getpid();
    child_ = checked(::fork(), "start it");
    if (child_ == 0) {
      become_program(program_, pipe_.writer.get(), self);
    }
    pipe_.writer.close();
    while (!ended_) {
      wait_for_events();
    }
    drain();
    write_end();
  }

 private:
  void wait_for_events() {
    std::array<pollfd, 2> events{pollfd{.fd = signals_, .events = POLLIN, .revents = 0},
                                 pollfd{.fd = pipe_.reader.get(), .events = POLLIN, .revents = 0}};
    const int count = ::poll(events.data(), events.size(), kill_at_ ? 100 : -1);
    if (count > 0 && events[0].revents != 0) {
      take_signal();
    }
    if (count > 0 && events[1].revents != 0) {
      read_output();
    }
    if (kill_at_ && steady_clock::now() >= *kill_at_) {
      ::kill(child_, SIGKILL);
    }
  }
  void take_signal() {
    signalfd_siginfo info{};
    if (::read(signals_, &info, sizeof info) == sizeof info && info.ssi_signo == SIGTERM && !kill_at_) {
      ::kill(child_, SIGTERM);
      kill_at_ = steady_clock::now() + std::chrono::seconds(kGrace);
    }
    ended_ = ::waitpid(child_, &status_, WNOHANG) == child_;
  }
  // False at the end.
  bool read_output() {
    std::array<char, 4096> part{};
    const ssize_t count = ::read(pipe_.reader.get(), part.data(), part.size());
    if (count > 0) {
      tail_.add({part.data(), static_cast<std::size_t>(count)});
      return true;
    }
    pipe_.reader.close();  // poll() passes over it
    return false;
  }
  // What is in the pipe; others that the program has started may have it open.
  void drain() {
    if (pipe_.reader.valid()) {
      ::fcntl(pipe_.reader.get(), F_SETFL, O_NONBLOCK);
      while (read_output()) {
      }
    }
  }
  void write_end() const {
    const std::string how = WIFSIGNALED(status_) ? fmt::format("was ended by signal {}", WTERMSIG(status_))
                                                 : fmt::format("ended with status {}", WEXITSTATUS(status_));
    const std::string last = shown(tail_.last_line(), kLongestLine);
    replace_plain_file(program_.end, fmt::format("{}{}{}\n", how, last.empty() ? "" : ": ", last));
    share_with_group(program_.end);
  }

  const KeptProgram& program_;
  Pipe pipe_;
  Tail tail_;
  int signals_;
  pid_t child_ = -1;
  int status_ = 0;
  bool ended_ = false;
  std::optional<steady_clock::time_point> kill_at_;
};

[[noreturn]] void keep(const KeptProgram& program, FileDescriptor announced, FileDescriptor allowed) {
  int status = 1;
  try {
    ::setsid();
    const FileDescriptor nowhere(checked(::open("/dev/null", O_RDWR | O_CLOEXEC), "open /dev/null"));
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      checked(::dup2(nowhere.get(), stream), "leave the streams of the caller");
    }
    sigset_t waited;
    sigemptyset(&waited);
    for (const int number : {SIGTERM, SIGCHLD}) {
      sigaddset(&waited, number);
    }
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);  // what is not waited for does not end it
    const FileDescriptor signals(checked(::signalfd(-1, &waited, SFD_CLOEXEC), "wait for signals"));
    const pid_t self = ::getpid();
    char go = 0;
    if (::write(announced.get(), &self, sizeof self) == sizeof self && ::read(allowed.get(), &go, 1) == 1) {
      announced.close();
      allowed.close();
      Keeper(program, signals.get()).run();
      status = 0;
    }
  } catch (const std::exception& error) {
    static_cast<void>(error);  // the end that is not written reports that it failed
  }
  ::_exit(status);
}

// The lock of the labs and others of the caller's must not stay open as long as a machine runs.
void close_others(int one, int other) {
  const auto first = static_cast<unsigned>(std::min(one, other));
  const auto last = static_cast<unsigned>(std::max(one, other));
  const auto close_from_to = [](unsigned from, unsigned to) {
    if (from <= to) {
      ::close_range(from, to, 0);
    }
  };
  close_from_to(3, first - 1);
  close_from_to(first + 1, last - 1);
  close_from_to(last + 1, ~0U);
}

}  // namespace

void start_kept(const KeptProgram& program, const std::function<void(const KeptProcess&)>& record) {
  Pipe announced;
  Pipe allowed;
  std::filesystem::remove(program.end);
  const pid_t between = checked(::fork(), "start a process");
  if (between == 0) {
    const pid_t keeper = ::fork();
    if (keeper == 0) {
      close_others(announced.writer.get(), allowed.reader.get());
      keep(program, std::move(announced.writer), std::move(allowed.reader));
    }
    ::_exit(keeper < 0 ? 1 : 0);  // the keeper is nobody's child, and leaves no zombie
  }
  announced.writer.close();
  allowed.reader.close();
  while (::waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
  }
  KeptProcess keeper;
  if (::read(announced.reader.get(), &keeper.process, sizeof keeper.process) != sizeof keeper.process) {
    throw std::system_error(ECHILD, std::generic_category(), "start a process beside " + program.command.front());
  }
  keeper.since = start_of(keeper.process);
  record(keeper);
  checked(static_cast<int>(::write(allowed.writer.get(), "g", 1)), "start " + program.command.front());
}

bool is_there(const KeptProcess& keeper) {
  return keeper.process > 0 && keeper.since != 0 && start_of(keeper.process) == keeper.since;
}

void stop_kept(const KeptProcess& keeper) {
  const auto limit = steady_clock::now() + std::chrono::seconds(kGrace + 5);
  if (is_there(keeper)) {
    ::kill(keeper.process, SIGTERM);
  }
  while (is_there(keeper)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (steady_clock::now() >= limit) {
      ::kill(keeper.process, SIGKILL);  // the program gets the same
    }
  }
}

}  // namespace hilgate
