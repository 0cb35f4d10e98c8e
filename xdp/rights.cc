// SPDX-License-Identifier: Apache-2.0
#include "xdp/rights.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace hilgate {
namespace {

struct Need {
  const char* name;
  int number;
};

// CAP_NET_RAW for the socket, CAP_NET_ADMIN to attach a program, CAP_BPF to load it and make its maps.
constexpr std::array<Need, 3> kNeeds = {
    {{"CAP_NET_RAW", CAP_NET_RAW}, {"CAP_NET_ADMIN", CAP_NET_ADMIN}, {"CAP_BPF", CAP_BPF}}};

std::uint64_t effective_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> data{};
  ::syscall(SYS_capget, &header, data.data());
  return data[0].effective | (std::uint64_t{data[1].effective} << 32);
}

}  // namespace

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
        "{} is refused by the kernel although CAP_NET_RAW, CAP_NET_ADMIN and CAP_BPF are there: is this a "
        "container, or is a security module in force?",
        what);
  }
  return fmt::format(
      "{} needs {}: run as root (sudo), or with AmbientCapabilities={} in a systemd unit, or after `setcap {}+ep` on "
      "the "
      "program",
      what, missing, "CAP_NET_RAW CAP_NET_ADMIN CAP_BPF CAP_IPC_LOCK",
      "cap_net_raw,cap_net_admin,cap_bpf,cap_ipc_lock");
}

}  // namespace hilgate
