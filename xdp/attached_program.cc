// SPDX-License-Identifier: Apache-2.0
#include "xdp/attached_program.h"

#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "host/file_descriptor.h"
#include "host/interface_watch.h"

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

}  // namespace hilgate
