// SPDX-License-Identifier: Apache-2.0
#include "xdp/attached_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "host/file_descriptor.h"
#include "host/interface_watch.h"
#include "xdp/rights.h"

namespace hilgate {
namespace {

struct LinkRequest {
  nlmsghdr head{};
  ifinfomsg body{};
  rtattr mask{.rta_len = RTA_LENGTH(sizeof(std::uint32_t)), .rta_type = IFLA_EXT_MASK};
  std::uint32_t left_out = RTEXT_FILTER_SKIP_STATS;
};

// each(attribute) for those that lie in [first, first + bytes).
template <class Each>
void each_attribute(const void* first, std::size_t bytes, Each each) {
  auto left = static_cast<int>(bytes);
  for (const auto* one = static_cast<const rtattr*>(first); RTA_OK(one, left); one = RTA_NEXT(one, left)) {
    each(one);
  }
}

AttachedProgram read_xdp(const rtattr* xdp) {
  AttachedProgram attached;
  each_attribute(RTA_DATA(xdp), RTA_PAYLOAD(xdp), [&attached](const rtattr* one) {
    const int type = one->rta_type & NLA_TYPE_MASK;
    if ((type == IFLA_XDP_PROG_ID || type == IFLA_XDP_DRV_PROG_ID || type == IFLA_XDP_SKB_PROG_ID) &&
        RTA_PAYLOAD(one) == sizeof(std::uint32_t)) {
      std::uint32_t id = 0;
      std::memcpy(&id, RTA_DATA(one), sizeof id);
      attached.id = std::max(attached.id, id);
      attached.native = attached.native || (type == IFLA_XDP_DRV_PROG_ID && id != 0);
    }
  });
  return attached;
}

}  // namespace

AttachedProgram attached_program(unsigned interface) {
  const FileDescriptor netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  LinkRequest request;
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = RTM_GETLINK;
  request.head.nlmsg_flags = NLM_F_REQUEST;
  request.body.ifi_index = static_cast<int>(interface);
  alignas(nlmsghdr) std::array<std::byte, kNetlinkBufferBytes> buffer{};
  ssize_t bytes = -1;
  if (::send(netlink.get(), &request, sizeof request, 0) == sizeof request) {
    do {
      bytes = ::recv(netlink.get(), buffer.data(), buffer.size(), 0);
    } while (bytes < 0 && errno == EINTR);
  }
  AttachedProgram attached;
  each_netlink_message({buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))},
                       [&attached](const nlmsghdr* message) {
                         if (message->nlmsg_type == RTM_NEWLINK) {
                           const auto* link = static_cast<const ifinfomsg*>(NLMSG_DATA(message));
                           each_attribute(IFLA_RTA(link), IFLA_PAYLOAD(message), [&attached](const rtattr* one) {
                             if ((one->rta_type & NLA_TYPE_MASK) == IFLA_XDP) {
                               attached = read_xdp(one);
                             }
                           });
                         }
                       });
  return attached;
}

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
