// SPDX-License-Identifier: Apache-2.0
// `hilgate try`: a lab, its gateway and one command, and nothing of it afterwards.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gateway/commands/command_line.h"
#include "gateway/commands/lab.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/run/control/control_client.h"
#include "host/file_descriptor.h"

namespace hilgate {

struct TryOptions {
  std::filesystem::path file;
  std::vector<std::string> words;  // the robot, and the command in it; a robot alone: a shell
  bool log = false;                // the gateway's log goes to standard error
};

namespace {

constexpr std::chrono::seconds kToEnd{2};  // a gateway that has closed its socket

/// Signals wait as long as this lives; await() takes them.
class TakenSignals {
 public:
  TakenSignals() {
    sigemptyset(&taken_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
      sigaddset(&taken_, number);
    }
    sigprocmask(SIG_BLOCK, &taken_, &before_);
  }
  ~TakenSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  TakenSignals(const TakenSignals&) = delete;
  TakenSignals& operator=(const TakenSignals&) = delete;

  /// For a child, which takes them as usual.
  void release() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  /// Returns the number of the next one; `is_for_all` where a terminal has sent it to all of its programs.
  int await(bool& is_for_all) const {
    siginfo_t info{};
    const int number = sigwaitinfo(&taken_, &info);
    is_for_all = info.si_code == SI_KERNEL;
    return number;
  }

 private:
  sigset_t taken_{};
  sigset_t before_{};
};

int shell_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// `hilgate run` as a child of this process.
class TriedGateway {
 public:
  TriedGateway(const TryOptions& options, const TakenSignals& signals)
      : log_(checked(memfd_create("hilgate-log", MFD_CLOEXEC), "memory for the gateway's log")) {
    pid_ = checked(fork(), "start the gateway");
    if (pid_ == 0) {
      become_gateway(options, signals);
    }
  }
  ~TriedGateway() { end(); }
  TriedGateway(const TriedGateway&) = delete;
  TriedGateway& operator=(const TriedGateway&) = delete;

  /// Whether it has not ended.
  bool runs() {
    int status = 0;
    if (pid_ > 0 && waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      status_ = shell_status(status);
    }
    return pid_ > 0;
  }
  bool ends_within(std::chrono::milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (runs() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return !runs();
  }
  /// Ends it; its exit status.
  int end() {
    if (runs()) {
      kill(pid_, SIGTERM);
      int status = 0;
      while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
      }
      pid_ = -1;
      status_ = shell_status(status);
    }
    return status_;
  }
  void print_log() const {
    off_t from = 0;
    struct stat info {};
    if (fstat(log_.get(), &info) == 0) {
      while (from < info.st_size && sendfile(STDERR_FILENO, log_.get(), &from, info.st_size - from) > 0) {
      }
    }
  }

 private:
  // In a group of its own: Ctrl-C ends the command first, and then this.
  [[noreturn]] void become_gateway(const TryOptions& options, const TakenSignals& signals) const {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setpgid(0, 0);
    signals.release();
    if (!options.log) {
      dup2(log_.get(), STDOUT_FILENO);
      dup2(log_.get(), STDERR_FILENO);
    }
    const std::string file = options.file.string();
    execl("/proc/self/exe", "hilgate", "run", file.c_str(), nullptr);
    std::_Exit(126);
  }

  FileDescriptor log_;
  pid_t pid_ = -1;
  int status_ = 0;
};

/// Processes that this process has started or, as their subreaper, adopted.
std::vector<pid_t> child_processes() {
  std::ifstream file(fmt::format("/proc/self/task/{}/children", getpid()));
  return {std::istream_iterator<pid_t>(file), {}};
}

/// Ends what the command has left in the background: SIGTERM, and after kToEnd SIGKILL.
void end_child_processes() {
  const auto deadline = std::chrono::steady_clock::now() + kToEnd;
  for (std::vector<pid_t> left; !(left = child_processes()).empty();) {  // when one ends, its children come here
    for (const pid_t process : left) {
      kill(process, std::chrono::steady_clock::now() < deadline ? SIGTERM : SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

/// A lab that goes with this, and with it what runs in it, where nothing of it was there before.
class TriedLab {
 public:
  TriedLab(const Configuration& configuration, const LabPlan& plan)
      : plan_(plan), is_ours_(make_lab(configuration, plan).made.size() == plan.robots.size()) {
    checked(prctl(PR_SET_CHILD_SUBREAPER, is_ours_ ? 1 : 0), "adopt processes of the command");
  }
  ~TriedLab() {
    try {
      if (is_ours_) {
        end_child_processes();
        lab_down(plan_);
      }
    } catch (const std::exception& error) {
      fmt::print(stderr, "hilgate: the lab stays: {}\n", error.what());
    }
  }
  TriedLab(const TriedLab&) = delete;
  TriedLab& operator=(const TriedLab&) = delete;

 private:
  const LabPlan& plan_;
  bool is_ours_;
};

[[noreturn]] void become_command(const LabPlan& plan, const LabRobot& robot, const std::vector<std::string>& command) {
  int status = 1;
  try {
    lab_exec(plan, robot, command);
  } catch (const CommandNotRun& error) {
    fmt::print(stderr, "hilgate: {}\n", error.what());
    status = error.status();
  } catch (const std::exception& error) {
    fmt::print(stderr, "hilgate: {}\n", error.what());
  }
  std::_Exit(status);
}

// Returns its exit status; nothing where the run was over before, as at the end of a scenario, and the command was
// ended.
std::optional<int> run_in_robot(const LabPlan& plan, const LabRobot& robot, const std::vector<std::string>& command,
                                TriedGateway* gateway, const TakenSignals& signals) {
  const pid_t child = checked(fork(), "start the command");
  if (child == 0) {
    signals.release();
    become_command(plan, robot, command);
  }
  bool is_over = false;
  for (;;) {
    bool is_for_all = false;
    const int number = signals.await(is_for_all);
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      return is_over ? std::nullopt : std::optional(shell_status(status));
    }
    if (gateway != nullptr && !gateway->runs()) {
      fmt::print(stderr, "hilgate: the run is over, and '{}' is ended\n", fmt::join(command, " "));
      kill(child, SIGTERM);
      is_over = true;
      gateway = nullptr;
    } else if (number > 0 && number != SIGCHLD && !is_for_all) {
      kill(child, number);
    }
  }
}

// Prints its log after a failure, which the user has not seen yet, and else that the scenario was met, which the log
// alone has.
int ended(TriedGateway& gateway, std::optional<int> command_status, const std::optional<Scenario>& scenario) {
  const int status = gateway.end();
  if (status != 0) {
    gateway.print_log();
    fmt::print(stderr, "hilgate: the gateway has ended with status {}\n", status);
  } else if (scenario) {
    fmt::print(stderr, "hilgate: {}: {} expectations, all met\n", scenario->file, scenario->expectations.size());
  }
  return command_status.value_or(0) != 0 ? *command_status : status;
}

}  // namespace

// Returns the exit status: that of the command, or of the gateway where the command had none but 0 or was ended with
// the run. Throws ConfigError or std::runtime_error.
int try_command(const TryOptions& options) {
  const Configuration configuration = load_configuration(options.file, known_names());
  const LabPlan plan = plan_lab(configuration);
  if (configuration.site) {
    throw std::runtime_error("the file describes a site, whose gateways start one by one: hilgate run --gateway NAME");
  }
  const LabRobot& robot = lab_robot(plan, options.words.front());
  std::vector<std::string> command(options.words.begin() + 1, options.words.end());
  if (command.empty()) {
    command = shell_command();
  }
  require_lab_rights("hilgate try");
  const TakenSignals signals;  // before the lab: it goes, however this ends
  const TriedLab lab(configuration, plan);
  const std::filesystem::path socket = control_socket(plan.name);
  if (std::filesystem::exists(socket) && is_listened_to(socket)) {
    await_run(socket, kRunPatience);
    return run_in_robot(plan, robot, command, nullptr, signals).value_or(1);
  }
  TriedGateway gateway(options, signals);
  try {
    await_run(socket, kRunPatience, [&gateway] { return gateway.runs(); });
  } catch (const std::runtime_error&) {
    if (!gateway.ends_within(kToEnd)) {
      gateway.print_log();
      throw;
    }
    return ended(gateway, 0, configuration.scenario);
  }
  const std::optional<int> status = run_in_robot(plan, robot, command, &gateway, signals);
  return ended(gateway, status, configuration.scenario);
}

void add_try(CLI::App& program, Action& action) {
  auto* command =
      program.add_subcommand("try",
                             "Make the lab of a file, run its gateway and one command in a robot, and remove all of it "
                             "(try FILE -- ROBOT COMMAND...); without a command it is a shell");
  auto options = std::make_shared<TryOptions>();
  command->add_option("FILE", options->file, "configuration file (YAML) with a `lab:` section")->required();
  command->add_flag("--log", options->log, "show the gateway's log; without, it is shown when the gateway fails");
  command->add_option("ROBOT", options->words, "robot, and the command that runs in its namespace, after --")
      ->required();
  command->positionals_at_end();
  command->callback([&action, options] {
    drop_separator(options->words);
    if (options->words.empty()) {
      throw CLI::RequiredError("ROBOT");
    }
    action = [options] { return try_command(*options); };
  });
}

}  // namespace hilgate
