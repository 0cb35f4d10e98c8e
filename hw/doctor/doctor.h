// SPDX-License-Identifier: Apache-2.0
// Is this host fit for a gateway, and what to do about it; and what of it can be done at once.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hw/doctor/fixes.h"
#include "hw/doctor/subject.h"

namespace hilgate {

/// Checks the host and, unless `subject` is null, the ports and robots of a configuration. Changes nothing, but
/// sends pings on ports with several robots (check_isolation).
Findings examine_host(const DoctorSubject* subject);

/// Lines for people, on standard output.
void print_findings(const Findings& findings);
void print_fixes(const Fixes& fixes);
/// The same for programs, but for what was fixed.
nlohmann::ordered_json findings_json(const Findings& findings);
/// One JSON object on standard output; `fixes` null: none were asked for.
void print_findings_json(const Findings& findings, const Fixes* fixes);

}  // namespace hilgate
