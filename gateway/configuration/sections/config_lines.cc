// SPDX-License-Identifier: Apache-2.0
// Ports that are ends of serial lines, and their robots.
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "config/plain_text.h"
#include "config/quantity.h"
#include "frame/serial_frame.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"

namespace hilgate {
namespace {

std::string read_device(YamlReader& port, const std::vector<PortConfig>& before) {
  const auto device = port.required<std::string>("device");
  if (port.has("device") && !device.starts_with('/')) {
    port.fault("device", fmt::format("'{}' is not a path; give one as /dev/ttyUSB0, or /dev/serial/by-id/..., which "
                                     "stays the same when devices are plugged in another order",
                                     shown(device)));
  }
  for (const PortConfig& other : before) {
    if (other.driver == PortDriver::kSerial && other.serial.device == device && !device.empty()) {
      port.fault("device", fmt::format("'{}' is already the device of port '{}' in line {}", shown(device), other.name,
                                       other.line));
    }
  }
  return device;
}

std::uint32_t read_baud(YamlReader& port, std::uint32_t usual) {
  try {
    const auto baud = port.optional<std::string>("baud", std::to_string(usual));
    return static_cast<std::uint32_t>(parse_whole(baud, kSlowestLine, kFastestLine));
  } catch (const std::invalid_argument& error) {
    port.fault("baud", error.what());
    return usual;
  }
}

}  // namespace

SerialPortConfig read_line(YamlReader& port, PortDriver driver, const std::vector<PortConfig>& before) {
  SerialPortConfig config;
  if (driver == PortDriver::kSerial) {
    config.device = read_device(port, before);
  }
  config.baud = read_baud(port, config.baud);
  config.flow =
      port.choice<SerialFlow>("flow", {{"none", SerialFlow::kNone}, {"rtscts", SerialFlow::kRtsCts}}, config.flow);
  config.framing = port.choice<SerialFraming>(
      "framing", {{"mavlink", SerialFraming::kMavlink}, {"raw", SerialFraming::kRaw}}, config.framing);
  constexpr Range<Bytes> kBuffer{{512}, {65'536}, "512 B to 64 KiB"};
  config.buffer_bytes = static_cast<std::uint32_t>(read_within(port, "buffer", kBuffer).value_or(Bytes{2048}).value);
  return config;
}

void read_line_robot(YamlReader& robot, RobotConfig& config, const std::vector<RobotConfig>& before) {
  for (const char* key : {"mac", "ip", "rssi_feed", "gnss", "dlep", "wired"}) {
    if (robot.has(key)) {
      robot.fault(key, "cannot be given: the robot's port is a serial line, which has no addresses and carries bytes");
    }
  }
  for (const RobotConfig& other : before) {
    if (other.port == config.port) {
      robot.fault("port",
                  fmt::format("is a serial line and has robot '{}' at its end; a line has one robot", other.name));
    }
  }
  config.macs = {serial_mac(PortSlot{config.port.value()})};  // ports of runs with lines keep their indices
}

void check_lines(YamlReader& root, const Configuration& configuration) {
  if (std::none_of(configuration.ports.begin(), configuration.ports.end(),
                   [](const PortConfig& port) { return is_line(port.driver); })) {
    return;
  }
  if (const ExternalNetsimConfig* netsim = external_netsim(configuration);
      netsim != nullptr && netsim->by_packet && judged_robots(configuration) == nullptr) {
    root.child("netsim").fault(
        "cannot judge packets of serial lines, which have no addresses; use `embedded`, `wire` "
        "or a simulator that answers with links");
  }
  if (access_network(configuration) != nullptr) {
    root.child("netsim").fault("access_points", "cannot be used with serial lines, whose radios are no stations");
  }
}

}  // namespace hilgate
