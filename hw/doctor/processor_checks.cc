// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include "hw/doctor/host_checks.h"

namespace hilgate {
namespace {

const std::string kCpus = "sys/devices/system/cpu/";

int processors_allowed() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  return CPU_COUNT(&allowed);
}

void check_number(Findings& findings) {
  const int count = processors_allowed();
  findings.push_back(finding("processors", count >= 2 ? CheckState::kOk : CheckState::kWarn, std::to_string(count),
                             "the packet path polls on one processor; use a machine with at least two"));
}

// The mean number of tasks that ran or waited for a processor during the last minute.
void check_load(const HostFiles& host, Findings& findings) {
  const std::string line = host.line("proc/loadavg").value_or("");
  if (line.empty()) {
    findings.push_back(finding("load", CheckState::kUnknown, "the kernel does not say", "see `uptime`"));
    return;
  }
  const std::string minute = line.substr(0, line.find(' '));
  const int count = processors_allowed();
  findings.push_back(finding("load", std::strtod(minute.c_str(), nullptr) > count ? CheckState::kWarn : CheckState::kOk,
                             fmt::format("{} on {} processors", minute, count),
                             "more tasks than processors: windows and releases come late; stop what else runs, or "
                             "reserve a processor (`packet_loop: {cpu: N}`)"));
}

// "2-3,5" names processor 2, 3 and 5.
bool names_cpu(const std::string& list, std::uint32_t cpu) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string part = list.substr(at, end - at);
    const std::uint64_t first = std::strtoull(part.c_str(), nullptr, 10);
    const std::size_t dash = part.find('-');
    const std::uint64_t last = dash == std::string::npos ? first : std::strtoull(part.c_str() + dash + 1, nullptr, 10);
    if (!part.empty() && first <= cpu && cpu <= last) {
      return true;
    }
    at = end + 1;
  }
  return false;
}

void check_isolation(const HostFiles& host, std::optional<std::uint32_t> cpu, Findings& findings) {
  const std::string isolated = host.line(kCpus + "isolated").value_or("");
  const bool is_free = cpu ? names_cpu(isolated, *cpu) : !isolated.empty();
  findings.push_back(finding(
      "isolated processor", is_free ? CheckState::kOk : CheckState::kWarn, isolated.empty() ? "none" : isolated,
      fmt::format("other tasks interrupt the packet path: boot with isolcpus={0} nohz_full={0} rcu_nocbs={0} and set "
                  "packet_loop: {{cpu: {0}}}",
                  cpu ? std::to_string(*cpu) : "N")));
}

void check_governor(const HostFiles& host, const std::string& cpu, Findings& findings) {
  const auto governor = host.line(kCpus + cpu + "/cpufreq/scaling_governor");
  findings.push_back(finding("governor",
                             !governor                    ? CheckState::kUnknown
                             : *governor == "performance" ? CheckState::kOk
                                                          : CheckState::kWarn,
                             governor.value_or("no frequency scaling by the kernel"),
                             governor
                                 ? "a slower clock frequency delays releases: cpupower frequency-set -g performance"
                                 : "on a virtual machine, set it on the host"));
}

// C1 ends within 2 us; deeper states take tens to hundreds.
void check_idle_states(const HostFiles& host, const std::string& cpu, Findings& findings) {
  constexpr std::uint64_t kShallow = 2;
  std::vector<std::string> deep;
  const std::vector<std::string> states = host.names(kCpus + cpu + "/cpuidle");
  for (const std::string& state : states) {
    const std::string path = kCpus + cpu + "/cpuidle/" + state;
    if (host.number(path + "/latency").value_or(0) > kShallow && host.number(path + "/disable").value_or(0) == 0) {
      deep.push_back(host.line(path + "/name").value_or(state));
    }
  }
  findings.push_back(finding("idle states",
                             states.empty() ? CheckState::kUnknown
                             : deep.empty() ? CheckState::kOk
                                            : CheckState::kWarn,
                             states.empty() ? "none listed by the kernel"
                             : deep.empty() ? "none deeper than C1"
                                            : fmt::format("{} allowed", fmt::join(deep, ", ")),
                             states.empty() ? "on a virtual machine, set it on the host"
                                            : "wake-up from it delays releases: cpupower idle-set -D 2"));
}

void check_tsc(const HostFiles& host, Findings& findings) {
  const std::string flags = host.line_of("proc/cpuinfo", "flags").value_or("") + " ";
  std::vector<std::string> missing;
  for (const char* flag : {"constant_tsc", "nonstop_tsc"}) {
    if (flags.find(fmt::format(" {} ", flag)) == std::string::npos) {
      missing.emplace_back(flag);
    }
  }
  findings.push_back(
      finding("tsc", missing.empty() ? CheckState::kOk : CheckState::kFail,
              missing.empty() ? "constant_tsc, nonstop_tsc" : fmt::format("without {}", fmt::join(missing, ", ")),
              "releases are timed with it: use another processor, or expose the host's to the guest"));
  const std::string source =
      host.line("sys/devices/system/clocksource/clocksource0/current_clocksource").value_or("unknown");
  findings.push_back(
      finding("clocksource", source == "tsc" ? CheckState::kOk : CheckState::kWarn, source,
              "timestamping arrivals is slower than with the TSC; boot with clocksource=tsc if the kernel "
              "trusts it"));
}

}  // namespace

void check_processors(const HostFiles& host, std::optional<std::uint32_t> cpu, Findings& findings) {
  const std::string name = fmt::format("cpu{}", cpu.value_or(0));
  check_number(findings);
  check_load(host, findings);
  check_isolation(host, cpu, findings);
  check_governor(host, name, findings);
  check_idle_states(host, name, findings);
  check_tsc(host, findings);
}

}  // namespace hilgate
