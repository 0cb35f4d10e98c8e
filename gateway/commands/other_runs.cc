// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/other_runs.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "gateway/run/control/control_client.h"
#include "gateway/run/control/running.h"
#include "host/local_peer.h"
#include "host/socket_path.h"

namespace hilgate {
namespace {

constexpr std::chrono::seconds kPatience{5};

/// A gateway that answers: who it is, and its ports by interface or device.
struct OtherRun {
  std::string name;
  LocalPeer process;
  std::map<std::string, std::string> ports{};
};

std::optional<OtherRun> ask(const std::filesystem::path& socket) {
  try {
    const auto listener = socket_listener(socket.string());
    if (!listener) {
      return std::nullopt;  // a dead process has left it
    }
    OtherRun other{.name = socket.stem().string(), .process = *listener};
    const auto status = control_request(socket, {{"command", "status"}}, kPatience);
    for (const auto& port : status.at("ports")) {
      other.ports.emplace(port.at("interface").get<std::string>(), port.at("name").get<std::string>());
    }
    return other;
  } catch (const std::exception&) {  // not let in, no answer in time, or another version's
    return std::nullopt;
  }
}

// Interfaces of the same name in another network namespace are others. Where the process cannot be looked at, it is
// taken to be in ours.
bool shares_network(const OtherRun& other) {
  struct stat ours {};
  struct stat theirs {};
  return stat(fmt::format("/proc/{}/ns/net", other.process.process).c_str(), &theirs) != 0 ||
         stat("/proc/self/ns/net", &ours) != 0 || (ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev);
}

// Virtual devices are each process's own.
bool is_shared_device(const PortConfig& port) {
  return port.driver == PortDriver::kSerial || port.dpdk.device.find(':') != std::string::npos;
}

const std::string& device_of(const PortConfig& port) {
  return port.driver == PortDriver::kSerial ? port.serial.device : port.dpdk.device;
}

void add_ports(const Configuration& configuration, const OtherRun& other, std::vector<Fault>& faults) {
  const bool same_network = shares_network(other);
  for (const PortConfig& port : configuration.ports) {
    if (port.driver == PortDriver::kElsewhere) {
      continue;
    }
    const bool is_interface = port.driver == PortDriver::kAfXdp;
    const auto taken = other.ports.find(is_interface ? port.interface : device_of(port));
    if (taken != other.ports.end() && (is_interface ? same_network : is_shared_device(port))) {
      faults.push_back({configuration.file.string(), port.line,
                        fmt::format("ports.{}.{}", port.name, is_interface ? "interface" : "device"),
                        fmt::format("'{}' is the port '{}' of the run '{}', {}; stop that run, or use another",
                                    taken->first, taken->second, other.name, other.process.text())});
    }
  }
}

}  // namespace

std::vector<Fault> taken_by_other_runs(const Configuration& configuration) {
  std::vector<Fault> faults;
  for (const std::string& run : runs_of_this_machine()) {
    const auto other = ask(control_socket(run));
    if (other && other->name == configuration.name) {
      faults.push_back({configuration.file.string(), 0, "name",
                        fmt::format("a run '{}' is already running: {}; stop it, or choose another name", other->name,
                                    other->process.text())});
    } else if (other) {
      add_ports(configuration, *other, faults);
    }
  }
  return faults;
}

}  // namespace hilgate
