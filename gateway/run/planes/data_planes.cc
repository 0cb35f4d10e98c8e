// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/data_planes.h"

#include <algorithm>
#include <stdexcept>

#include "gateway/run/planes/af_xdp_ports.h"
#include "gateway/run/planes/path_plane.h"

namespace hilgate {

std::unique_ptr<DataPlane> make_af_xdp_plane(const Configuration& configuration, const PathSettings& settings,
                                             const PortPlan& ports, const TscClock& clock) {
  return std::make_unique<PathPlane<AfXdpPorts>>(std::make_unique<AfXdpPorts>(configuration, settings, ports, clock),
                                                 settings, ports, configuration, clock);
}

}  // namespace hilgate

#ifdef HILGATE_WITH_DPDK
#endif

namespace hilgate {

std::unique_ptr<DataPlane> make_data_plane(const Configuration& configuration, const PathSettings& settings,
                                           const PortPlan& ports, const TscClock& clock) {
  const auto& configs = configuration.ports;
  if (std::any_of(configs.begin(), configs.end(), [](const PortConfig& port) { return is_line(port.driver); })) {
    return make_serial_plane(configuration, settings, ports, clock);
  }
  if (configs.front().driver == PortDriver::kAfXdp) {
    return make_af_xdp_plane(configuration, settings, ports, clock);
  }
#ifdef HILGATE_WITH_DPDK
  return make_dpdk_plane(configuration, settings, ports, clock);
#else
  throw std::runtime_error("ports have driver dpdk, but this build has no DPDK; install libdpdk-dev and build again");
#endif
}

}  // namespace hilgate
