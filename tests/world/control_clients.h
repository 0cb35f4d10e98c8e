// SPDX-License-Identifier: Apache-2.0
// Clients of a daemon's control socket in a world: one that operates the run, and some that misbehave.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/file_descriptor.h"
#include "tests/world/world_random.h"

namespace hilgate::test {

/// A client that waits for each answer.
class ControlOperator {
 public:
  /// Throws std::system_error.
  explicit ControlOperator(const std::filesystem::path& socket);

  /// Sends a request; answer() has its line once the daemon has written it.
  void ask(const nlohmann::json& request);
  [[nodiscard]] bool waits() const { return waits_; }
  /// Absent until the whole line is there. Throws std::runtime_error when the connection has ended.
  std::optional<nlohmann::json> answer();

 private:
  FileDescriptor socket_;
  std::string read_;
  bool waits_ = false;
};

/// Clients that send noise, halves of requests, single bytes of them and requests without an end, subscribe or ask a
/// hundred times and do not read, and leave at any time. Their number is limited by the daemon's seats.
class HostileClients {
 public:
  HostileClients(std::filesystem::path socket, WorldRandom& random) : socket_(std::move(socket)), random_(random) {}

  /// One of them does something.
  void act();

 private:
  std::filesystem::path socket_;
  WorldRandom& random_;
  std::vector<FileDescriptor> clients_;
};

}  // namespace hilgate::test
