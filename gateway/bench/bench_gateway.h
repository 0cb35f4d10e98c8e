// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "gateway/bench/bench_network.h"

namespace hilgate {

/// This program once more, as `hilgate run` between the robots of a bench: a process of its own, ended by the
/// destructor and by the end of the thread that made it.
class BenchGateway {
 public:
  /// `yaml`: the configuration but for name, ports and robots (`red` and `blue` are robots 0 and 1). Returns when it
  /// carries frames. Throws std::runtime_error when it does not come up.
  BenchGateway(const BenchNetwork& network, const std::string& yaml);
  ~BenchGateway();
  BenchGateway(const BenchGateway&) = delete;
  BenchGateway& operator=(const BenchGateway&) = delete;

  /// Where it takes requests.
  [[nodiscard]] std::filesystem::path socket() const;

 private:
  void wait_until_ready();
  void end() noexcept;

  std::string run_;
  std::filesystem::path file_;
  pid_t pid_ = -1;
};

}  // namespace hilgate
