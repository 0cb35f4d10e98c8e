// SPDX-License-Identifier: Apache-2.0
#include "hw/doctor/port_checks.h"

namespace hilgate {

void check_dpdk(const Configuration* configuration, Findings& findings) {
  const bool needed = configuration != nullptr && !configuration->ports.empty() &&
                      configuration->ports.front().driver == PortDriver::kDpdk;
  findings.push_back(finding("dpdk", needed ? CheckState::kFail : CheckState::kWarn, "this hilgate is built without it",
                             "install libdpdk-dev and build it again"));
}

}  // namespace hilgate
