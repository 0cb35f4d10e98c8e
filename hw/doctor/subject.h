// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frame/address.h"
#include "frame/port_config.h"

namespace hilgate {

/// A robot of a lab, by its namespace.
struct DoctorRobot {
  std::string name;
  std::string netns;
  std::string interface;  // inside the namespace
};

/// A robot as others behind the same switch know it.
struct DoctorNeighbour {
  std::string name;
  std::string port;  // of the gateway, by name
  MacAddress mac;
  std::uint32_t ipv4 = 0;  // host byte order; 0: none is configured
};

/// What a configuration adds to the checks of the host itself.
struct DoctorSubject {
  std::vector<PortConfig> ports;
  std::optional<std::uint32_t> cpu;  // of the packet path
  bool hugepages = true;             // DPDK's
  std::vector<std::string> eal_arguments;
  std::vector<DoctorRobot> robots;
  std::vector<DoctorNeighbour> neighbours;  // robots with configured MAC addresses
};

enum class CheckState { kOk, kWarn, kFail, kUnknown };
std::string_view name(CheckState state);

/// One thing about this host: how it is, and what to do when that is not well.
struct Finding {
  std::string check;  // "tsc", "port red-port: xdp"
  CheckState state = CheckState::kUnknown;
  std::string found;
  std::string advice;  // empty when there is nothing to do
};
using Findings = std::vector<Finding>;

/// `advice` is kept only when the state is not kOk.
Finding finding(std::string check, CheckState state, std::string found, std::string advice = "");

}  // namespace hilgate
