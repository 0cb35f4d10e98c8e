// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_gateway.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

std::string configuration_text(const std::string& run, std::string_view fail, const std::string& yaml) {
  return fmt::format(
      "name: {}\n"
      "ports:\n"
      "  red-port: {{interface: {}, fail: {}}}\n"
      "  blue-port: {{interface: {}, fail: {}}}\n"
      "robots:\n"
      "  red: {{port: red-port, mac: \"02:68:67:00:00:01\"}}\n"
      "  blue: {{port: blue-port, mac: \"02:68:67:00:00:02\"}}\n"
      "{}",
      run, BenchNetwork::port(0), fail, BenchNetwork::port(1), fail, yaml);
}

[[noreturn]] void become_gateway(int file, int silence, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() == parent) {
    ::dup2(silence, STDOUT_FILENO);  // its log; complaints go where ours go
    // By a descriptor of its own, which it may open again without any rights.
    const std::string path = fmt::format("/proc/self/fd/{}", ::fcntl(file, F_DUPFD, 3));
    ::execl("/proc/self/exe", "hilgate", "run", path.c_str(), nullptr);
  }
  ::_exit(127);
}

bool answers(const std::filesystem::path& socket) {
  try {
    control_request(socket, {{"command", "status"}});
    return true;
  } catch (const std::runtime_error&) {
    return false;  // not yet
  }
}

}  // namespace

BenchGateway::BenchGateway(const BenchNetwork& network, const std::string& yaml, std::string_view fail)
    : run_(fmt::format("bench-{}", ::getpid())), fail_(fail), file_(::memfd_create("bench.yaml", MFD_CLOEXEC)) {
  rewrite(yaml);
  const FileDescriptor silence(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const pid_t parent = ::getpid();
  {
    const NetnsScope here = network.enter_gateway();
    pid_ = ::fork();
    if (pid_ == 0) {
      become_gateway(file_.get(), silence.get(), parent);
    }
  }
  try {
    wait_until_ready();
  } catch (...) {
    end();
    throw;
  }
}

BenchGateway::~BenchGateway() {
  end();
}

std::filesystem::path BenchGateway::socket() const {
  return control_socket(run_);
}

void BenchGateway::wait_until_ready() {
  if (pid_ < 0) {
    throw std::runtime_error(fmt::format("cannot start the gateway to measure: {}", std::strerror(errno)));
  }
  const auto deadline = steady_clock::now() + 30s;
  while (!answers(socket())) {
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
      throw std::runtime_error("the gateway to measure exited at start");
    }
    if (steady_clock::now() > deadline) {
      throw std::runtime_error("the gateway to measure did not start within 30 s");
    }
    std::this_thread::sleep_for(5ms);
  }
}

void BenchGateway::rewrite(const std::string& yaml) {
  const std::string text = configuration_text(run_, fail_, yaml);
  if (::ftruncate(file_.get(), 0) != 0 ||
      ::pwrite(file_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error(fmt::format("cannot write the configuration of a bench: {}", std::strerror(errno)));
  }
}

void BenchGateway::kill() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void BenchGateway::end() noexcept {
  if (pid_ > 0) {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
}

}  // namespace hilgate
