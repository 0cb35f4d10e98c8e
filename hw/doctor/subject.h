// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frame/port_config.h"

namespace hilgate {

/// A robot of a lab, by its namespace.
struct DoctorRobot {
  std::string name;
  std::string netns;
  std::string interface;  // inside the namespace
};

/// What a configuration adds to the checks of the host itself.
struct DoctorSubject {
  std::vector<PortConfig> ports;
  std::optional<std::uint32_t> cpu;  // of the packet path
  bool hugepages = true;             // DPDK's
  std::vector<std::string> eal_arguments;
  std::vector<DoctorRobot> robots;
};

}  // namespace hilgate
