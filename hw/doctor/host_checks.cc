// SPDX-License-Identifier: Apache-2.0
#include "hw/doctor/host_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <sstream>

#include "host/capabilities.h"
#include "hw/doctor/host_limits.h"

namespace hilgate {
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

}  // namespace hilgate
