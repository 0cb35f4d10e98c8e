// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/file_descriptor.h"

namespace hilgate::test {

/// A client of a run's control socket that asks again and again on one connection, as an operator's program does; a
/// connection for each request waits for the rate at which connections are taken.
class ControlConnection {
 public:
  explicit ControlConnection(const std::filesystem::path& socket);

  /// The result. Throws std::runtime_error with what the gateway has against it, or when none comes within 30 s.
  nlohmann::json ask(const nlohmann::json& request);

 private:
  std::string line();

  FileDescriptor socket_;
  std::string received_;  // behind the last line
};

}  // namespace hilgate::test
