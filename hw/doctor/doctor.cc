// SPDX-License-Identifier: Apache-2.0
#include "hw/doctor/doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/capability.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "host/confinement.h"
#include "host/netns.h"
#include "host/offloads.h"
#include "hw/doctor/host_checks.h"
#include "hw/doctor/port_checks.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kShareOfMemory = 8;  // huge pages take an eighth of what is available, at most

// Raises a number to `least`, and reads back what came of it.
void raise(const HostFiles& host, const char* file, std::uint64_t least, Fix fix, Fixes& fixes) {
  const std::string error = host.write(file, std::to_string(least));
  const std::uint64_t now = host.number(file).value_or(0);
  if (now >= least) {
    fix.after = std::to_string(now);
  } else {
    fix.undo.clear();
    fix.failure = error.empty() ? fmt::format("the kernel gives {} of {}; try again after a boot", now, least)
                                : fmt::format("cannot be written: {}; run it as root", error);
  }
  fixes.push_back(std::move(fix));
}

std::uint64_t available_kib(const HostFiles& host) {
  constexpr std::string_view kKey = "MemAvailable:";
  const std::string line = host.line_of("proc/meminfo", std::string(kKey)).value_or(std::string(kKey));
  return std::strtoull(line.c_str() + kKey.size(), nullptr, 10);
}

void fix_interface(const std::string& setting, const std::string& interface, const std::string& before_command,
                   Fixes& fixes) {
  std::vector<std::string> on;
  try {
    on = offloads_on(interface);
    if (on.empty()) {
      return;
    }
    turn_offloads_off(interface);
    fixes.push_back({.setting = setting,
                     .before = fmt::format("on: {}", fmt::join(on, ", ")),
                     .after = "off",
                     .undo = fmt::format("{}ethtool -K {} {} on", before_command, interface, fmt::join(on, " on "))});
  } catch (const std::runtime_error& error) {
    fixes.push_back({.setting = setting,
                     .before = on.empty() ? "unknown" : fmt::format("on: {}", fmt::join(on, ", ")),
                     .failure = error.what()});
  }
}

void fix_robot(const DoctorRobot& robot, Fixes& fixes) {
  const std::string setting = fmt::format("robot {}: offloads", robot.name);
  if (!netns_exists(robot.netns)) {
    return;
  }
  try {
    const NetnsScope inside(robot.netns);
    fix_interface(setting, robot.interface, fmt::format("ip netns exec {} ", robot.netns), fixes);
  } catch (const std::runtime_error& error) {
    fixes.push_back({.setting = setting, .before = "unknown", .failure = error.what()});
  }
}

void hint_of_locked_memory(Fixes& fixes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  const bool is_free = limit.rlim_cur == RLIM_INFINITY ||
                       missing_capabilities(std::array{Capability{CAP_IPC_LOCK, "CAP_IPC_LOCK"}}).empty();
  if (!is_free) {
    fixes.push_back({.setting = "locked memory",
                     .before = fmt::format("{} KiB", limit.rlim_cur >> 10),
                     .failure = "is each process's own: `ulimit -l unlimited` in the shell that starts the gateway, or "
                                "LimitMEMLOCK=infinity in its unit"});
  }
}

}  // namespace

void fix_backlog(const HostFiles& host, Fixes& fixes) {
  const auto backlog = host.number(kBacklogFile);
  if (backlog && *backlog < kBacklog) {
    raise(host, kBacklogFile, kBacklog,
          {.setting = "backlog",
           .before = std::to_string(*backlog),
           .undo = fmt::format("sysctl -w net.core.netdev_max_backlog={}", *backlog)},
          fixes);
  }
}

void fix_hugepages(const HostFiles& host, Fixes& fixes) {
  const auto pages = host.number(kHugePagesFile);
  if (!pages || *pages >= kHugePages) {
    return;
  }
  Fix fix{.setting = "hugepages",
          .before = fmt::format("{}", *pages),
          .undo = fmt::format("sysctl -w vm.nr_hugepages={}", *pages)};
  const std::uint64_t wanted = (kHugePages - *pages) * kHugePageKib;
  const std::uint64_t available = available_kib(host);
  if (wanted > available / kShareOfMemory) {
    fix.undo.clear();
    fix.failure = fmt::format(
        "{} MiB more are too much of the {} MiB that are available; end other programs, or "
        "sysctl -w vm.nr_hugepages={}",
        wanted >> 10, available >> 10, kHugePages);
    fixes.push_back(std::move(fix));
    return;
  }
  raise(host, kHugePagesFile, kHugePages, std::move(fix), fixes);
}

void fix_offloads(const DoctorSubject& subject, Fixes& fixes) {
  for (const PortConfig& port : subject.ports) {
    if (port.driver == PortDriver::kAfXdp) {
      fix_interface(fmt::format("port {}: offloads", port.name), port.interface, "", fixes);
    }
  }
  for (const DoctorRobot& robot : subject.robots) {
    fix_robot(robot, fixes);
  }
}

Fixes fix_host(const DoctorSubject* subject) {
  const HostFiles host;
  Fixes fixes;
  fix_backlog(host, fixes);
  fix_hugepages(host, fixes);
  hint_of_locked_memory(fixes);
  if (subject != nullptr) {
    fix_offloads(*subject, fixes);
  }
  return fixes;
}

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
