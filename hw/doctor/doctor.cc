// SPDX-License-Identifier: Apache-2.0
#include "hw/doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "hw/doctor/host_checks.h"
#include "hw/doctor/port_checks.h"

namespace hilgate {

Findings examine_host(const DoctorSubject* subject) {
  const HostFiles host;
  Findings findings;
  check_rights(findings);
  check_kernel(host, findings);
  check_processors(host, subject != nullptr ? subject->cpu : std::nullopt, findings);
  check_memory(host, findings);
  check_clocks(host, findings);
  if (subject != nullptr) {
    check_ports(*subject, findings);
    check_neighbours(*subject, findings);
    check_isolation(*subject, findings);
  }
  check_dpdk(subject, findings);
  return findings;
}

void print_findings(const Findings& findings) {
  std::size_t width = 0;
  for (const Finding& one : findings) {
    width = std::max(width, one.check.size());
  }
  for (const Finding& one : findings) {
    fmt::print("{:<8}{:<{}}  {}\n", name(one.state), one.check, width, one.found);
    if (!one.advice.empty()) {
      fmt::print("{:<8}{:<{}}  -> {}\n", "", "", width, one.advice);
    }
  }
}

void print_fixes(const Fixes& fixes) {
  if (fixes.empty()) {
    fmt::print("nothing to fix\n\n");
    return;
  }
  for (const Fix& fix : fixes) {
    if (fix.failure.empty()) {
      fmt::print("fixed   {}: {}, was {}\n", fix.setting, fix.after, fix.before);
      fmt::print("        -> until the next boot; as before: {}\n", fix.undo);
    } else {
      fmt::print("left    {}: {}: {}\n", fix.setting, fix.before, fix.failure);
    }
  }
  fmt::print("\n");
}

nlohmann::ordered_json findings_json(const Findings& findings) {
  nlohmann::ordered_json json{{"checks", nlohmann::ordered_json::array()}};
  for (const CheckState state : {CheckState::kOk, CheckState::kWarn, CheckState::kFail, CheckState::kUnknown}) {
    json[std::string(name(state))] = std::ranges::count(findings, state, &Finding::state);
  }
  for (const Finding& one : findings) {
    json["checks"].push_back(
        {{"name", one.check}, {"state", name(one.state)}, {"found", one.found}, {"advice", one.advice}});
  }
  return json;
}

void print_findings_json(const Findings& findings, const Fixes* fixes) {
  nlohmann::ordered_json json = findings_json(findings);
  if (fixes != nullptr) {
    json["fixes"] = nlohmann::ordered_json::array();
    for (const Fix& fix : *fixes) {
      json["fixes"].push_back({{"setting", fix.setting},
                               {"before", fix.before},
                               {"after", fix.after},
                               {"undo", fix.undo},
                               {"failure", fix.failure}});
    }
  }
  fmt::print("{}\n", json.dump());
}

}  // namespace hilgate
