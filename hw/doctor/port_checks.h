// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/doctor/finding.h"
#include "hw/doctor/subject.h"

namespace hilgate {

/// Of every port on a network interface: that it is there and up, XDP in its driver, offloads that change frames, and
/// hardware time stamps; of every robot of a lab that is up, the offloads of its end.
void check_ports(const DoctorSubject& subject, Findings& findings);

/// DPDK, and of every port on it whether the device stamps arrivals and sends at an instant given. Starts DPDK, when
/// ports need it; at most once per process.
void check_dpdk(const DoctorSubject* subject, Findings& findings);

}  // namespace hilgate
