// SPDX-License-Identifier: Apache-2.0
#include "xdp/rights.h"

#include <fmt/format.h>
#include <linux/capability.h>

#include <array>

#include "host/confinement.h"

namespace hilgate {
namespace {

// CAP_NET_RAW for the socket, CAP_NET_ADMIN to attach a program, CAP_BPF to load it and make its maps. Without
// CAP_PERFMON the verifier takes no program that steps over a header of variable length.
constexpr std::array<Capability, 4> kNeeds = {{{CAP_NET_RAW, "CAP_NET_RAW"},
                                               {CAP_NET_ADMIN, "CAP_NET_ADMIN"},
                                               {CAP_BPF, "CAP_BPF"},
                                               {CAP_PERFMON, "CAP_PERFMON"}}};

}  // namespace

bool has_all_rights() {
  return missing_capabilities(kNeeds).empty();
}

std::string missing_rights(const std::string& what) {
  const std::string missing = missing_capabilities(kNeeds);
  if (missing.empty()) {
    return fmt::format(
        "the kernel refuses {} although CAP_NET_RAW, CAP_NET_ADMIN, CAP_BPF and CAP_PERFMON are present: is this a "
        "container, or is a security module active?",
        what);
  }
  return fmt::format(
      "{} needs {}: run as root, or set AmbientCapabilities={} in a systemd unit, or run `setcap {}+ep` on "
      "the program",
      what, missing, "CAP_NET_RAW CAP_NET_ADMIN CAP_BPF CAP_PERFMON CAP_IPC_LOCK",
      "cap_net_raw,cap_net_admin,cap_bpf,cap_perfmon,cap_ipc_lock");
}

}  // namespace hilgate
