// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
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

}  // namespace hilgate
