// SPDX-License-Identifier: Apache-2.0
// What needs no ports: the path and its releases on DPDK's devices, and windows.
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>

#include "bench/bench_windows.h"
#include "bench/certify/subjects.h"
#include "bench/measured_host.h"
#include "bench/path/path_bench.h"
#include "clock/host_now.h"
#include "host/file_descriptor.h"

namespace hilgate {
namespace {

constexpr std::size_t kMessage = 64;  // bytes, about those of a window's messages

/// A process that sends back what it is sent.
class EchoProcess {
 public:
  EchoProcess() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw std::runtime_error("certify: no socket pair");
    }
    near_ = FileDescriptor(ends[0]);
    const FileDescriptor far(ends[1]);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      std::array<char, kMessage> message{};
      while (::recv(far.get(), message.data(), message.size(), MSG_WAITALL) == static_cast<ssize_t>(kMessage)) {
        ::send(far.get(), message.data(), message.size(), MSG_NOSIGNAL);
      }
      ::_exit(0);
    }
    if (pid_ < 0) {
      throw std::runtime_error("certify: no process to echo");
    }
  }
  ~EchoProcess() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  EchoProcess(const EchoProcess&) = delete;
  EchoProcess& operator=(const EchoProcess&) = delete;

  [[nodiscard]] bool round_trip() const {
    std::array<char, kMessage> message{};
    return ::send(near_.get(), message.data(), message.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(kMessage) &&
           ::recv(near_.get(), message.data(), message.size(), MSG_WAITALL) == static_cast<ssize_t>(kMessage);
  }

 private:
  FileDescriptor near_;
  pid_t pid_ = -1;
};

double round_trips_per_second(Nanoseconds duration) {
  const EchoProcess echo;
  const HostTime start = host_now();
  HostTime now = start;
  double count = 0;
  for (; now - start < duration; now = host_now()) {
    if (!echo.round_trip()) {
      throw std::runtime_error("certify: the echo has ended");
    }
    ++count;
  }
  return count / seconds_of(now - start);
}

double ns_of(Nanoseconds span) {
  return static_cast<double>(span.count());
}

}  // namespace

void measure_core(const CertifyRound& round, const CertifySay& say) {
  measure_core_limits({.sizes = round.sizes, .trial = round.form.core_trial, .precision = round.form.precision},
                      [&say](const std::string& size, const CoreLimits& limits) {
                        say("core.forwarder." + size, limits.forwarder);
                        say("core.ndr." + size, limits.ndr);
                        say("core.pdr." + size, limits.pdr);
                      });
}

void measure_release(const CertifyRound& round, const CertifySay& say) {
  const ReleaseFigures figures = measure_release(ReleaseOptions{.frames = round.form.releases});
  say("release.p50", ns_of(figures.p50));
  say("release.p99", ns_of(figures.p99));
  say("release.loop_p50", ns_of(figures.spin_p50));
  say("release.loop_p99", ns_of(figures.spin_p99));
  say("release.early", static_cast<double>(figures.early));
}

void measure_windows(const CertifyRound& round, const CertifySay& say) {
  const BenchProcessors processors;
  processors.go_forwarding();
  say("windows.echo", round_trips_per_second(round.form.windows));
  say("windows.rate", bench_windows({.duration = round.form.windows, .cpu = processors.forwarding()}).windows_per_s);
}

}  // namespace hilgate
