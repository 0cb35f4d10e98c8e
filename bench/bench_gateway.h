// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "bench/bench_network.h"
#include "bench/measured_host.h"
#include "host/file_descriptor.h"
#include "xdp/xsk_forwarder.h"

namespace hilgate {

/// This program once more, as `hilgate run` between the robots of a bench: a process of its own, ended by the
/// destructor and by the end of the thread that made it.
class BenchGateway {
 public:
  /// `yaml`: the configuration but for name, ports and robots (`red` and `blue` are robots 0 and 1); `fail`: the mode
  /// of the ports. Returns when it carries frames. Throws std::runtime_error when it does not come up.
  BenchGateway(const BenchNetwork& network, const std::string& yaml, std::string_view fail = "none");
  ~BenchGateway();
  BenchGateway(const BenchGateway&) = delete;
  BenchGateway& operator=(const BenchGateway&) = delete;

  /// Where it takes requests.
  [[nodiscard]] std::filesystem::path socket() const;

  /// Replaces the configuration by `yaml`, which takes effect when it is read again.
  void rewrite(const std::string& yaml);
  /// By SIGKILL. The next one takes over what its fail mode keeps in the kernel.
  void kill();

 private:
  void wait_until_ready();
  void end() noexcept;

  std::string run_;
  std::string_view fail_;
  FileDescriptor file_;  // in memory: nothing is left when this process is killed
  pid_t pid_ = -1;
};

/// The yardstick at work: the plainest AF_XDP forwarder between the ports, in a thread of its own.
class BenchForwarder {
 public:
  BenchForwarder(const BenchNetwork& network, const BenchProcessors& processors) {
    const NetnsScope here = network.enter_gateway();
    forwarder_.emplace(BenchNetwork::port(0), BenchNetwork::port(1), XdpMode::kAuto);
    thread_ = std::jthread([this, &processors](const std::stop_token& stop) {
      processors.go_forwarding();
      while (!stop.stop_requested()) {
        forwarder_->iterate();
      }
    });
  }

 private:
  std::optional<XskForwarder> forwarder_;
  std::jthread thread_;
};

}  // namespace hilgate
