// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/af_xdp_plane.h"

#include "gateway/run/planes/af_xdp_ports.h"
#include "gateway/run/planes/path_plane.h"

namespace hilgate {

std::unique_ptr<DataPlane> make_af_xdp_plane(const Configuration& configuration, const PathSettings& settings,
                                             const PortPlan& ports, const TscClock& clock) {
  return std::make_unique<PathPlane<AfXdpPorts>>(std::make_unique<AfXdpPorts>(configuration, settings, ports, clock),
                                                 settings, ports, configuration, clock);
}

}  // namespace hilgate
