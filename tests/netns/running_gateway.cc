// SPDX-License-Identifier: Apache-2.0
#include "tests/netns/running_gateway.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/support/eventually.h"

namespace hilgate::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

NamedCounts counts_of(const Json& json) {
  NamedCounts counts;
  for (const auto& [name, value] : json.items()) {
    if (value.is_number_unsigned()) {
      counts[name] = value.get<std::uint64_t>();
    }
  }
  return counts;
}

GatewayStatus read_status(const Json& json) {
  const Json& totals = json.at("totals");
  GatewayStatus status;
  status.totals = counts_of(totals);
  status.dropped = counts_of(totals.at("dropped"));
  status.balanced = totals.at("balanced").get<bool>();
  for (const Json& link : json.at("links")) {
    status.links.push_back({link.at("from"), link.at("to"), counts_of(link), counts_of(link.at("dropped"))});
  }
  for (const Json& port : json.at("ports")) {
    status.port_modes.push_back(port.at("mode"));
    status.port_states.push_back(port.at("state"));
  }
  status.window = counts_of(json.at("window"));
  status.physics = counts_of(json.at("window").at("simulators").at(0));
  status.netsim = counts_of(json.at("window").at("simulators").at(1));
  status.verdicts = counts_of(json.value("verdicts", Json::object()));
  for (const Json& robot : json.at("robots")) {
    status.unplugged.push_back(robot.at("unplugged"));
    if (robot.contains("position")) {
      status.positions.push_back(robot.at("position"));
    }
  }
  return status;
}

// As a script waits for the gateway, without a program for each look.
void wait_until_ready(Process& process, const std::string& run_name) {
  const auto deadline = steady_clock::now() + std::chrono::seconds{30};
  for (;;) {
    try {
      control_request(control_socket(run_name), {{"command", "status"}});
      return;
    } catch (const std::runtime_error&) {
      if (process.wait(milliseconds{20}) || steady_clock::now() > deadline) {
        throw std::runtime_error("the gateway does not come up:\n" + process.output());
      }
    }
  }
}

// As far as a test goes, the gateway has its processor to itself also on a busy machine.
std::vector<std::string> run_command(const std::vector<std::string>& under, const std::string& file) {
  std::vector<std::string> command = {"nice", "-n", "-15"};
  command.insert(command.end(), under.begin(), under.end());
  command.insert(command.end(), {hilgate_program(), "run", file});
  return command;
}

void silence_ipv6(const NetLab& lab, std::size_t robots) {
  for (std::size_t n = 0; n < robots; ++n) {
    lab.robot(n).run_ok("echo 1 > /proc/sys/net/ipv6/conf/eth0/disable_ipv6");
  }
}

}  // namespace

const LinkStatus& GatewayStatus::link(const std::string& from, const std::string& to) const {
  for (const LinkStatus& link : links) {
    if (link.from == from && link.to == to) {
      return link;
    }
  }
  throw std::runtime_error("no link " + from + " -> " + to);
}

RunFolder::RunFolder() {
  static std::atomic<unsigned> count = 0;
  run_ = fmt::format("hgt-e2e-{}-{}", ::getpid(), ++count);
  folder_ = std::filesystem::temp_directory_path() / run_;
  std::filesystem::create_directories(folder_);
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  // Of gateways that were killed; those of a site have names that begin with the run's.
  for (const auto& entry : std::filesystem::directory_iterator(control_folder(), ignored)) {
    const std::string name = entry.path().stem();
    if (name == run_ || name.starts_with(run_ + "-")) {
      std::filesystem::remove(entry.path(), ignored);
    }
  }
  std::filesystem::remove_all("/sys/fs/bpf/hilgate/" + run_, ignored);  // what fail modes keep
}

std::string RunFolder::write(const std::string& text) const {
  const std::filesystem::path path = folder_ / "gateway.yaml";
  const std::filesystem::path next = folder_ / "gateway.yaml.next";
  std::ofstream(next) << "name: " << run_ << "\n" << text;
  std::filesystem::rename(next, path);  // a gateway that reads it has the one or the other
  return path;
}

std::string hilgate_program() {
  return HILGATE_BIN_DIR "/hilgate";
}

std::string ports_and_robots(const std::vector<std::string>& robots, const std::string& robot_keys,
                             const std::string& port_keys) {
  std::string ports = "ports:\n";
  std::string stations = "robots:\n";
  for (std::size_t n = 0; n < robots.size(); ++n) {
    ports += fmt::format("  {0}: {{interface: hg-{0}{1}}}\n", robots[n], port_keys);
    stations += fmt::format("  {0}: {{port: {0}, mac: \"{1}\", ip: [{2}, \"{3}\"]{4}}}\n", robots[n], NetLab::mac(n),
                            NetLab::ipv4(n), NetLab::ipv6(n), robot_keys);
  }
  return ports + stations;
}

RunningGateway::RunningGateway(const GatewaySetup& setup)
    : lab_("e2e", setup.robots, setup.veth), robots_(setup.robots.size()) {
  if (!setup.ipv6) {
    silence_ipv6(lab_, setup.robots.size());
  }
  const bool radio =
      setup.yaml.find("type: embedded") != std::string::npos && setup.robot.find("radio:") == std::string::npos;
  const std::string robot_keys = (radio ? ", radio: wifi_11n_2g4_adhoc" : "") + setup.robot;
  std::vector<std::string> configured = setup.robots;
  configured.resize(std::min(configured.size(), setup.configured));
  file_ = folder_.write((setup.wiring.empty() ? ports_and_robots(configured, robot_keys, setup.port) : setup.wiring) +
                        setup.yaml);
  if (!setup.before.empty()) {
    lab_.gateway().run_ok(setup.before);
  }
  process_ = lab_.gateway().start(run_command(setup.under, file_));
  wait_until_ready(*process_, run());
}

RunningGateway::~RunningGateway() = default;

GatewayStatus RunningGateway::status() const {
  return read_status(status_of(run()));
}

void RunningGateway::mute() const {
  for (std::size_t n = 0; n < robots_; ++n) {
    robot(n).run_ok("ip addr flush dev eth0");
  }
}

GatewayStatus RunningGateway::status_when(const std::function<bool(const GatewayStatus&)>& good,
                                          milliseconds limit) const {
  return read_status(test::status_when(
      run(), [&](const nlohmann::ordered_json& answer) { return good(read_status(answer)); }, limit));
}

GatewayStatus RunningGateway::settled(std::uint64_t frames) const {
  return status_when([frames](const GatewayStatus& now) {
    return now.totals("frames_captured") >= frames && now.totals("held") == 0;
  });
}

nlohmann::ordered_json status_of(const std::string& run) {
  return control_request(control_socket(run), {{"command", "status"}});
}

nlohmann::ordered_json status_when(const std::string& run,
                                   const std::function<bool(const nlohmann::ordered_json&)>& good, milliseconds limit) {
  nlohmann::ordered_json answer;
  eventually(
      [&] {
        answer = status_of(run);
        return good(answer);
      },
      limit);
  return answer;
}

void pass_windows(const std::string& run, std::uint64_t windows, milliseconds length) {
  const auto number = [&run] { return status_of(run).at("window").at("number").get<std::uint64_t>(); };
  const auto deadline = steady_clock::now() + 10 * windows * length;
  const std::uint64_t last = number() + windows;
  for (std::uint64_t now = last - windows; now < last; now = number()) {
    if (steady_clock::now() > deadline) {
      throw std::runtime_error(fmt::format("window {} has not begun: it is {}", last, now));
    }
    std::this_thread::sleep_for((last - now) * length);
  }
}

}  // namespace hilgate::test
