// SPDX-License-Identifier: Apache-2.0
#include "hw/doctor/host_checks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/confinement.h"
#include "host/file_descriptor.h"
#include "hw/doctor/subject.h"

namespace hilgate {

std::string_view name(CheckState state) {
  switch (state) {
    case CheckState::kOk:
      return "ok";
    case CheckState::kWarn:
      return "warn";
    case CheckState::kFail:
      return "fail";
    case CheckState::kUnknown:
      break;
  }
  return "unknown";
}

Finding finding(std::string check, CheckState state, std::string found, std::string advice) {
  return {std::move(check), state, std::move(found), state == CheckState::kOk ? "" : std::move(advice)};
}

bool HostFiles::exists(const std::string& path) const {
  std::error_code ignored;
  return std::filesystem::exists(root_ / path, ignored);
}

std::optional<std::string> HostFiles::line(const std::string& path) const {
  return line_of(path, "");
}

std::optional<std::uint64_t> HostFiles::number(const std::string& path) const {
  const std::string text = line(path).value_or("");
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

std::optional<std::string> HostFiles::line_of(const std::string& path, const std::string& key) const {
  std::ifstream file(root_ / path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) {
      return line;
    }
  }
  return std::nullopt;
}

std::string HostFiles::write(const std::string& path, const std::string& text) const {
  const FileDescriptor file(::open((root_ / path).c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  const bool written = file.get() >= 0 && ::write(file.get(), text.data(), text.size()) >= 0;
  return written ? "" : std::strerror(errno);
}

std::vector<std::string> HostFiles::names(const std::string& path) const {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root_ / path, error)) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

namespace {

constexpr std::array<Capability, 5> kRights = {{{CAP_NET_ADMIN, "CAP_NET_ADMIN"},
                                                {CAP_NET_RAW, "CAP_NET_RAW"},
                                                {CAP_BPF, "CAP_BPF"},
                                                {CAP_PERFMON, "CAP_PERFMON"},
                                                {CAP_IPC_LOCK, "CAP_IPC_LOCK"}}};

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(std::string(path != nullptr ? path : "") + ":/usr/sbin:/usr/local/sbin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && ::access((folder + "/" + program).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

void check_kernel(const HostFiles& host, Findings& findings) {
  const std::string release = host.line("proc/sys/kernel/osrelease").value_or("unknown");
  unsigned major = 0;
  unsigned minor = 0;
  const bool known = std::sscanf(release.c_str(), "%u.%u", &major, &minor) == 2;
  findings.push_back(finding("kernel",
                             !known                                     ? CheckState::kUnknown
                             : major > 5 || (major == 5 && minor >= 15) ? CheckState::kOk
                                                                        : CheckState::kFail,
                             release, "install Linux 5.15 or later; Debian 12 has 6.1"));
  const bool btf = host.exists("sys/kernel/btf/vmlinux");
  findings.push_back(finding("btf", btf ? CheckState::kOk : CheckState::kWarn, btf ? "there" : "missing",
                             "use a kernel with CONFIG_DEBUG_INFO_BTF=y"));
  const bool xdp = host.line_of("proc/net/protocols", "XDP").has_value();
  findings.push_back(finding("af_xdp", xdp ? CheckState::kOk : CheckState::kFail, xdp ? "there" : "missing",
                             "use a kernel with CONFIG_XDP_SOCKETS=y"));
  const auto jit = host.number("proc/sys/net/core/bpf_jit_enable");
  findings.push_back(finding("bpf compiler",
                             !jit       ? CheckState::kUnknown
                             : *jit > 0 ? CheckState::kOk
                                        : CheckState::kWarn,
                             !jit       ? "cannot read it"
                             : *jit > 0 ? "on"
                                        : "off",
                             "sysctl -w net.core.bpf_jit_enable=1"));
  const auto backlog = host.number(kBacklogFile);
  findings.push_back(
      finding("backlog",
              !backlog               ? CheckState::kUnknown
              : *backlog >= kBacklog ? CheckState::kOk
                                     : CheckState::kWarn,
              backlog ? std::to_string(*backlog) : "cannot read it",
              fmt::format("bursts on veth pairs can be lost: sysctl -w net.core.netdev_max_backlog={}", kBacklog)));
}

void check_memory(const HostFiles& host, Findings& findings) {
  const auto pages = host.number(kHugePagesFile);
  findings.push_back(
      finding("hugepages",
              !pages                 ? CheckState::kUnknown
              : *pages >= kHugePages ? CheckState::kOk
                                     : CheckState::kWarn,
              pages ? fmt::format("{} of 2 MiB", *pages) : "not supported by the kernel",
              fmt::format("small pages for frames cost TLB misses: sysctl -w vm.nr_hugepages={}", kHugePages)));
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  const bool is_free = limit.rlim_cur == RLIM_INFINITY ||
                       missing_capabilities(std::array{Capability{CAP_IPC_LOCK, "CAP_IPC_LOCK"}}).empty();
  findings.push_back(finding("locked memory", is_free ? CheckState::kOk : CheckState::kFail,
                             is_free ? "unlimited" : fmt::format("{} KiB", limit.rlim_cur >> 10),
                             "frame memory is locked: set LimitMEMLOCK=infinity in the unit, or ulimit -l unlimited"));
}

void check_rights(Findings& findings) {
  const std::string missing = missing_capabilities(kRights);
  findings.push_back(finding("rights", missing.empty() ? CheckState::kOk : CheckState::kFail,
                             missing.empty() ? "complete" : "without " + missing,
                             "run it as root, or as the systemd service does"));
  const bool lab = missing_capabilities(std::array{Capability{CAP_SYS_ADMIN, "CAP_SYS_ADMIN"}}).empty();
  findings.push_back(finding("lab rights", lab ? CheckState::kOk : CheckState::kWarn,
                             lab ? "complete" : "without CAP_SYS_ADMIN",
                             "a gateway does without; run `hilgate lab` as root"));
}

void check_clocks(const HostFiles& host, Findings& findings) {
  std::vector<std::string> clocks;
  for (const std::string& name : host.names("sys/class/ptp")) {
    clocks.push_back(
        fmt::format("/dev/{} ({})", name, host.line("sys/class/ptp/" + name + "/clock_name").value_or("?")));
  }
  findings.push_back(finding("hardware clocks", clocks.empty() ? CheckState::kWarn : CheckState::kOk,
                             clocks.empty() ? "none" : fmt::format("{}", fmt::join(clocks, ", ")),
                             "PTP reaches microseconds at best; use a NIC with a PTP hardware clock"));
  std::vector<std::string> missing;
  for (const char* program : {"ptp4l", "phc2sys", "pmc"}) {
    if (!in_path(program)) {
      missing.emplace_back(program);
    }
  }
  findings.push_back(finding("linuxptp", missing.empty() ? CheckState::kOk : CheckState::kWarn,
                             missing.empty() ? "there" : fmt::format("without {}", fmt::join(missing, ", ")),
                             "apt-get install linuxptp to follow or serve PTP"));
}

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
