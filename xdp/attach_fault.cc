// SPDX-License-Identifier: Apache-2.0
#include "xdp/attach_fault.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "xdp/attached_program.h"
#include "xdp/rights.h"

namespace hilgate {
namespace {

std::string program_name(std::uint32_t id) {
  const int fd = bpf_prog_get_fd_by_id(id);
  if (fd < 0) {
    return "unknown";
  }
  bpf_prog_info info{};
  __u32 size = sizeof info;
  const int result = bpf_obj_get_info_by_fd(fd, &info, &size);
  ::close(fd);
  return result == 0 ? std::string(info.name) : "unknown";
}

}  // namespace

std::optional<std::string> who_is_attached(const Interface& interface) {
  const std::uint32_t id = attached_program(interface.index).id;
  if (id == 0) {
    return std::nullopt;
  }
  if (const auto run = run_that_keeps(interface); run) {
    return fmt::format(
        "the XDP program of run '{0}' is attached; {1}", run->name,
        run->alive ? "it is running: stop it first, or take the port out of one of the two"
                   : fmt::format("it has ended and keeps the port closed: `hilgate detach {0}` frees it", run->name));
  }
  return fmt::format("another XDP program is attached: id {} ({}); stop its owner, or run `ip link set dev {} xdp off`",
                     id, program_name(id), interface.name);
}

std::optional<std::string> who_keeps_out(const Interface& interface, const KernelPath* kernel) {
  if (kernel == nullptr || kernel->directory().empty()) {
    return who_is_attached(interface);
  }
  if (const int own = bpf_obj_get(pinned_link(kernel->directory(), interface.name).c_str()); own >= 0) {
    ::close(own);
    return std::nullopt;
  }
  const auto run = run_that_keeps(interface);
  return run && !run->alive ? std::nullopt : who_is_attached(interface);
}

// Seen with Linux 6.12: frames that came after the interface had been down went to the kernel, and not to the program
// that was still reported as attached (docs/reference/nics.md).
std::optional<std::string> native_defect(const Interface& interface) {
  if (interface.driver != "vmxnet3") {
    return std::nullopt;
  }
  return fmt::format("the driver ({}) forgets a native XDP program when the interface was down", interface.driver);
}

std::string why_not_attached(int error, const Interface& interface) {
  switch (error) {
    case EPERM:
      return missing_rights("attaching an XDP program");
    case EBUSY:
    case EEXIST:
      return who_is_attached(interface).value_or("another XDP program is attached");
    case EOPNOTSUPP:
      return fmt::format("the driver ({}) does not support XDP", interface.driver);
    case ERANGE:
      return fmt::format("the driver ({}) does not support XDP at this MTU", interface.driver);
    case ENOSPC:
      return fmt::format("the driver ({}) needs as many rx queues here as tx queues at the peer", interface.driver);
    default:
      return fmt::format("the driver ({}) rejects the XDP program: {}", interface.driver, std::strerror(error));
  }
}

}  // namespace hilgate
