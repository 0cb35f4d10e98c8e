// SPDX-License-Identifier: Apache-2.0
#include "hw/doctor/port_checks.h"

namespace hilgate {

void check_dpdk(const DoctorSubject* subject, Findings& findings) {
  const bool needed =
      subject != nullptr && !subject->ports.empty() && subject->ports.front().driver == PortDriver::kDpdk;
  findings.push_back(finding("dpdk", needed ? CheckState::kFail : CheckState::kWarn,
                             "this hilgate was built without DPDK", "install libdpdk-dev and build again"));
}

}  // namespace hilgate
