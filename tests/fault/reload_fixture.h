// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/fault/port_fixture.h"

namespace hilgate::test {

/// A robot of the lab as a configuration has it.
struct Plugged {
  std::size_t robot;   // of the lab: its interface, MAC and address
  std::string name{};  // of port and robot; empty: the lab's
  std::string port{};  // further keys of the port, ", fail: wire"
};

/// A gateway with four robots in its lab, whose file changes under it.
class PortsByReload : public PortFault {
 protected:
  static constexpr std::size_t kWhite = 3;

  /// Begins with the first `robots` of the lab.
  void start_with(std::size_t robots, const std::string& yaml = "netsim: {type: wire}\n") {
    yaml_ = yaml;
    gateway_ = std::make_unique<RunningGateway>(GatewaySetup{.yaml = yaml, .robots = names(), .configured = robots});
  }
  static std::vector<std::string> names() { return {"red", "blue", "green", "white"}; }

  /// The file has these ports and robots from now on.
  void write(const std::vector<Plugged>& plugged) const {
    std::string ports = "ports:\n";
    std::string robots = "robots:\n";
    for (const Plugged& one : plugged) {
      const std::string name = one.name.empty() ? names()[one.robot] : one.name;
      ports += fmt::format("  {}: {{interface: hg-{}{}}}\n", name, names()[one.robot], one.port);
      robots += fmt::format("  {0}: {{port: {0}, mac: '{1}', ip: {2}}}\n", name, NetLab::mac(one.robot),
                            NetLab::ipv4(one.robot));
    }
    write_text(ports + robots);
  }
  void write_text(const std::string& ports_and_robots) const {
    std::ofstream(gateway_->file()) << "name: " << gateway_->run() << "\n" << ports_and_robots << yaml_;
  }
  /// What the gateway has against the file; empty when it took it.
  [[nodiscard]] std::string reload() const {
    try {
      control_request(control_socket(gateway_->run()), {{"command", "reload"}}, std::chrono::seconds{30});
    } catch (const std::exception& error) {
      return error.what();
    }
    return {};
  }
  void reload_with(const std::vector<Plugged>& plugged) const {
    write(plugged);
    ASSERT_EQ(reload(), "");
  }

  /// Red sends frames to a robot; how many arrive there.
  [[nodiscard]] std::size_t arriving(std::size_t robot, std::size_t frames = 100) const {
    NumberedTraffic traffic(*gateway_, {robot});
    return traffic.to_one({.frames = frames, .to = robot_mac(static_cast<unsigned>(robot))}).size();
  }
  [[nodiscard]] std::size_t open_files() const {
    const std::filesystem::path folder = fmt::format("/proc/{}/fd", gateway_->process().pid());
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }
  /// What the run keeps in the BPF file system.
  [[nodiscard]] std::vector<std::string> pins() const {
    std::vector<std::string> names;
    for (const auto& pin : std::filesystem::directory_iterator("/sys/fs/bpf/hilgate/" + gateway_->run())) {
      names.push_back(pin.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string yaml_;
};

}  // namespace hilgate::test
