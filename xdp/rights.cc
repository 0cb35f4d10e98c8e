// SPDX-License-Identifier: Apache-2.0
#include "xdp/rights.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace hilgate {
namespace {

struct Need {
  const char* name;
  int number;
};

// CAP_NET_RAW for the socket, CAP_NET_ADMIN to attach a program, CAP_BPF to load it and make its maps. Without
// CAP_PERFMON the verifier takes no program that steps over a header of variable length.
constexpr std::array<Need, 4> kNeeds = {{{"CAP_NET_RAW", CAP_NET_RAW},
                                         {"CAP_NET_ADMIN", CAP_NET_ADMIN},
                                         {"CAP_BPF", CAP_BPF},
                                         {"CAP_PERFMON", CAP_PERFMON}}};

std::uint64_t effective_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> data{};
  ::syscall(SYS_capget, &header, data.data());
  return data[0].effective | (std::uint64_t{data[1].effective} << 32);
}

}  // namespace

bool has_all_rights() {
  const std::uint64_t have = effective_capabilities();
  return std::all_of(kNeeds.begin(), kNeeds.end(), [&](const Need& need) { return (have >> need.number & 1) != 0; });
}

std::string missing_rights(const std::string& what) {
  const std::uint64_t have = effective_capabilities();
  std::string missing;
  for (const Need& need : kNeeds) {
    if ((have >> need.number & 1) == 0) {
      missing += (missing.empty() ? "" : ", ") + std::string(need.name);
    }
  }
  if (missing.empty()) {
    return fmt::format(
        "{} is refused by the kernel although CAP_NET_RAW, CAP_NET_ADMIN, CAP_BPF and CAP_PERFMON are there: is this a "
        "container, or is a security module in force?",
        what);
  }
  return fmt::format(
      "{} needs {}: run as root (sudo), or with AmbientCapabilities={} in a systemd unit, or after `setcap {}+ep` on "
      "the "
      "program",
      what, missing, "CAP_NET_RAW CAP_NET_ADMIN CAP_BPF CAP_PERFMON CAP_IPC_LOCK",
      "cap_net_raw,cap_net_admin,cap_bpf,cap_perfmon,cap_ipc_lock");
}

}  // namespace hilgate
