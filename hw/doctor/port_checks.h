// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/doctor/subject.h"

namespace hilgate {

/// Of every port on a network interface: that it is there and up, XDP in its driver, offloads that change frames, and
/// hardware time stamps; of every robot of a lab that is up, the offloads of its end.
void check_ports(const DoctorSubject& subject, Findings& findings);

/// Of every port on a network interface with several robots: whether they reach each other past the gateway. For 4 s
/// each robot is sent pings that seem to be from the others on its port, so that it asks for their MAC addresses. As
/// the doctor answers none of these requests, one that is not repeated has been answered by way of the switch. Needs
/// CAP_NET_RAW, and an interface without an XDP program. Cannot distinguish the other robot from a host that answers
/// for it (proxy ARP).
/// Whether the kernel's table of neighbours has room for the robots of a lab.
void check_neighbours(const DoctorSubject& subject, Findings& findings);

void check_isolation(const DoctorSubject& subject, Findings& findings);

/// DPDK, and of every port on it whether the device stamps arrivals and sends at an instant given. Starts DPDK, when
/// ports need it; at most once per process.
void check_dpdk(const DoctorSubject* subject, Findings& findings);

}  // namespace hilgate
