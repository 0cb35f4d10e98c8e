// SPDX-License-Identifier: Apache-2.0
// A whole daemon in this process, on simulated time, ports and loops (tests/world/world_machine.h), operated over its
// control socket: what a run does and reports where it needs no kernel for it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/daemon/daemon.h"
#include "host/file_descriptor.h"
#include "tests/loop.h"
#include "tests/support/packets.h"
#include "tests/world/control_clients.h"
#include "tests/world/world_machine.h"

namespace spdlog {
class logger;
}

namespace hilgate::test {

class RunningDaemon {
 public:
  /// A frame that has left, by the port of this number in the configuration.
  struct Sent {
    std::size_t port = 0;
    Bytes bytes;
    HostTime at{};
  };

  /// `text` is the configuration's, without its name. In it, FOLDER stands for the folder of this run's files.
  explicit RunningDaemon(std::string_view text);
  ~RunningDaemon();
  RunningDaemon(const RunningDaemon&) = delete;
  RunningDaemon& operator=(const RunningDaemon&) = delete;

  /// Simulated time passes.
  void pass(Nanoseconds time);
  /// The answer's result. Throws std::runtime_error with the whole answer when it is a refusal.
  nlohmann::json ask(const nlohmann::json& request);
  nlohmann::json status() { return ask({{"command", "status"}}); }
  /// The status as soon as it is `good`; the last one after 20 s of simulated time.
  nlohmann::json status_when(const std::function<bool(const nlohmann::json&)>& good);
  /// What `hilgate status` prints.
  std::string status_text();
  void set(const std::vector<std::string>& values) { ask({{"command", "set"}, {"values", values}}); }
  /// The answer that refuses these values; empty when they were set.
  std::string refusal(const std::vector<std::string>& values);
  /// The standing condition's text; empty without.
  std::string condition(const std::string& name, const std::string& about = {});
  /// Its text once it stands; empty when it does not within 20 s of simulated time.
  std::string await_condition(const std::string& name, const std::string& about = {});

  /// Another file for `reload`, as the constructor's.
  void write(std::string_view text) const;
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
  /// Ends the run as SIGTERM does.
  void stop();

  /// A frame arrives by the port of this number in the configuration.
  void arrive(std::size_t port, const Bytes& frame);
  /// What has left since the last call.
  std::vector<Sent> take_sent() { return std::exchange(sent_, {}); }

  [[nodiscard]] std::string log() const { return log_.str(); }
  /// How often the log has this text.
  [[nodiscard]] std::size_t count_in_log(const std::string& text) const;

 private:
  void step();

  TempDir folder_;
  std::ostringstream log_;
  std::shared_ptr<spdlog::logger> earlier_log_;
  WorldFaults faults_;
  WorldMachine machine_;
  std::unique_ptr<Daemon> daemon_;
  std::optional<ControlOperator> operator_;
  std::vector<Sent> sent_;
  std::uint64_t arrived_ = 0;
};

/// `ports:` and `robots:` of robots with the addresses of packets.h: the first is robot 1. Ports have the robots'
/// names.
std::string robots_text(const std::vector<std::string>& names, const std::string& robot_keys = {});

/// A connection to a socket of a run on which whole lines are sent.
class LineSender {
 public:
  explicit LineSender(const std::filesystem::path& socket);
  void send(const std::string& line) const;

 private:
  FileDescriptor socket_;
};

}  // namespace hilgate::test
