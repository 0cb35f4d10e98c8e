// SPDX-License-Identifier: Apache-2.0
// Is this host fit for a gateway, and what to do about it. Changes nothing.
#pragma once

#include "hw/doctor/finding.h"
#include "hw/doctor/subject.h"

namespace hilgate {

/// Checks the host and, unless `subject` is null, the ports and robots of a configuration.
Findings examine_host(const DoctorSubject* subject);

/// Lines for people, on standard output.
void print_findings(const Findings& findings);
/// One JSON object on standard output.
void print_findings_json(const Findings& findings);

}  // namespace hilgate
