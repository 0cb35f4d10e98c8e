// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <asio/io_context.hpp>

namespace hilgate::test {

/// A directory for sockets, gone when the test ends however it ends.
class TempDir {
 public:
  TempDir() {
    char name[] = "/tmp/hgt-wires-XXXXXX";
    if (mkdtemp(name) == nullptr) {
      throw std::runtime_error("no temporary directory");
    }
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Runs `io` until `done` holds; false when it does not within the deadline.
template <class Done>
bool run_until(asio::io_context& io, Done done, std::chrono::milliseconds deadline = std::chrono::seconds(20)) {
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= end) {
      return false;
    }
    io.restart();
    io.run_one_for(std::chrono::milliseconds(50));
  }
  return true;
}

}  // namespace hilgate::test
