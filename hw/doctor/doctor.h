// SPDX-License-Identifier: Apache-2.0
// Is this host fit for a gateway, and what to do about it; and what of it can be done at once.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hw/doctor/host_checks.h"
#include "hw/doctor/subject.h"

namespace hilgate {

// What `hilgate doctor --fix` changes: settings that cost nothing but memory, that only go up, and that go back with
// the next boot.

/// A setting that was not well.
struct Fix {
  std::string setting;    // "backlog", "port red-port: offloads"
  std::string before;     // how it was
  std::string after{};    // how it is now; empty when it is as it was
  std::string undo{};     // the command that puts it back
  std::string failure{};  // why it is as it was, with what to do; empty when it was changed
};
using Fixes = std::vector<Fix>;

/// net.core.netdev_max_backlog.
void fix_backlog(const HostFiles& host, Fixes& fixes);
/// Huge pages of 2 MiB, as long as they take a small part of the memory that is available.
void fix_hugepages(const HostFiles& host, Fixes& fixes);
/// Offloads that change frames, of ports, and of robots whose lab is up.
void fix_offloads(const DoctorSubject& subject, Fixes& fixes);

/// All of them; `subject` null: the host alone. What may be locked is each process's own: a hint.
Fixes fix_host(const DoctorSubject* subject);

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
