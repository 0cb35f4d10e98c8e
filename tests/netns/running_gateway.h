// SPDX-License-Identifier: Apache-2.0
// The real gateway between real namespaces: `hilgate run` as a child process, configured by a file, asked by its
// control socket. Everything goes with the object.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/net_lab.h"
#include "tests/support/process.h"

namespace hilgate::test {

/// Counts by name; one that is absent is 0.
struct NamedCounts : std::map<std::string, std::uint64_t> {
  [[nodiscard]] std::uint64_t operator()(const std::string& name) const {
    const auto found = find(name);
    return found == end() ? 0 : found->second;
  }
};

struct LinkStatus {
  std::string from, to;
  NamedCounts counts;   // in, released, damaged, marked, failed_tries
  NamedCounts dropped;  // by reason
};

/// What the tests read of `hilgate status --json`.
struct GatewayStatus {
  NamedCounts totals;   // in, out, dropped_total, held, frames_captured, damaged, marked
  NamedCounts dropped;  // by reason
  bool balanced = false;
  std::vector<LinkStatus> links;
  std::vector<std::string> port_modes;
  std::vector<std::string> port_states;  // up, no carrier, down, absent, refused
  std::vector<bool> unplugged;           // by robot
  NamedCounts window;                    // number, published, missed
  NamedCounts physics, netsim;           // windows, late, missed, skipped
  NamedCounts verdicts;                  // offered, passed, late, released_late, ...; empty where nobody judges packets
  std::vector<std::vector<double>> positions;  // of the robots, once there are any
  [[nodiscard]] const LinkStatus& link(const std::string& from, const std::string& to) const;
};

/// Where a gateway's files live, and what its run is called: nobody else's.
class RunFolder {
 public:
  RunFolder();
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  [[nodiscard]] const std::string& run() const { return run_; }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }
  /// Writes `name: <run>` and `text` to a file and returns its path.
  [[nodiscard]] std::string write(const std::string& text) const;

 private:
  std::string run_;
  std::filesystem::path folder_;
};

/// The program under test.
std::string hilgate_program();

struct GatewaySetup {
  std::string yaml = "netsim: {type: wire}\n";  // what is not about ports and robots
  std::vector<std::string> robots = {"red", "blue"};
  std::size_t configured = 64;          // of these, so many have a port and are in the configuration
  std::string port = {};                // further keys of every port, ", fail: wire"
  std::string robot = {};               // likewise of every robot
  std::string wiring = {};              // `ports:` and `robots:`, if they are not those of the robots above
  std::string before = {};              // a shell command in the gateway's namespace, before it starts
  std::vector<std::string> under = {};  // a program that becomes the gateway, and its arguments: its command follows
  VethOptions veth{};
  bool ipv6 = false;  // robots' kernels announce themselves over IPv6 when they like; without, only tests speak
};

/// A NetLab and a gateway in its middle. Robot n is as in NetLab.
class RunningGateway {
 public:
  /// Returns when the gateway answers. Throws std::runtime_error with its output when it does not.
  explicit RunningGateway(const GatewaySetup& setup = {});
  ~RunningGateway();

  [[nodiscard]] const NetLab& lab() const { return lab_; }
  [[nodiscard]] const NetNs& robot(std::size_t n) const { return lab_.robot(n); }
  [[nodiscard]] const std::string& run() const { return folder_.run(); }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] Process& process() { return *process_; }
  [[nodiscard]] std::string output() const { return process_->output(); }
  [[nodiscard]] GatewayStatus status() const;

  /// Takes the robots' addresses away: their kernels answer nothing any more.
  void mute() const;

  /// Asks until `good` or the time is over; returns the last answer.
  GatewayStatus status_when(const std::function<bool(const GatewayStatus&)>& good,
                            std::chrono::milliseconds limit = std::chrono::seconds{20}) const;
  /// Waits until `frames` have come in since the start and none is held.
  GatewayStatus settled(std::uint64_t frames) const;

 private:
  NetLab lab_;
  std::size_t robots_;
  RunFolder folder_;
  std::string file_;
  std::unique_ptr<Process> process_;
};

/// The status document of a run.
nlohmann::ordered_json status_of(const std::string& run);
/// The status document as soon as it is `good`, or the last one before the time is over.
nlohmann::ordered_json status_when(const std::string& run,
                                   const std::function<bool(const nlohmann::ordered_json&)>& good,
                                   std::chrono::milliseconds limit = std::chrono::seconds{60});

/// Returns when so many windows of this length have passed. Asks the gateway as seldom as it can, because each answer
/// wakes its packet loops. Throws std::runtime_error when they take ten times as long.
void pass_windows(const std::string& run, std::uint64_t windows, std::chrono::milliseconds length);

/// `ports:` and `robots:` for the robots of a NetLab, with further keys of each robot and each port.
std::string ports_and_robots(const std::vector<std::string>& robots, const std::string& robot_keys = {},
                             const std::string& port_keys = {});

}  // namespace hilgate::test
