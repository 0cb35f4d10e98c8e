// SPDX-License-Identifier: Apache-2.0
// Clock settings of a configuration: the reference that it follows, and the ports on which hilgate serves time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clock/ptp/grandmaster.h"
#include "clock/ptp/ptp_transport.h"
#include "clock/reference/reference_options.h"
#include "clock/servo/disciplined_clock.h"
#include "config/units.h"
#include "frame/frame.h"

namespace hilgate {

/// A PTP grandmaster on a port.
struct ServeConfig {
  /// The time served to robots.
  enum class Time : std::uint8_t {
    kWall,  // the disciplined clock, on the time scale of its reference
    kSim,   // sim time from `epoch` on, at the factor of the pace, standing while the simulation does
  };
  PortIndex port;
  int line = 0;  // in Configuration::file, for messages
  PtpTransportKind transport = PtpTransportKind::kUdp4;
  Time time = Time::kWall;
  std::chrono::seconds epoch{0};  // since 1970
  GrandmasterOptions master{};
};

/// What is allowed on a port but will disappoint, at a pace in sim time per wall time, parts per million.
inline std::vector<std::string> warnings_of(const ServeConfig& serve, Dilation dilation) {
  return warnings(serve.master, serve.time == ServeConfig::Time::kSim ? dilation.factor() : 1);
}

struct ClockConfig {
  bool automatic = false;  // the best of what is there at the start; reference.kind is what is tried first
  ReferenceOptions reference{};
  DisciplineOptions discipline{};
  std::vector<ServeConfig> serve;
};

}  // namespace hilgate
