// SPDX-License-Identifier: Apache-2.0
// What lies in the buffer that a netlink socket was read into (netlink(7)).
#pragma once

#include <linux/netlink.h>

#include <cstddef>
#include <span>

namespace hilgate {

/// each(message) for the messages that are whole; the payload lies behind each. `received` is aligned as nlmsghdr.
template <class Each>
void each_netlink_message(std::span<const std::byte> received, Each each) {
  for (std::size_t at = 0; at + sizeof(nlmsghdr) <= received.size();) {
    const auto* message = reinterpret_cast<const nlmsghdr*>(received.data() + at);
    if (message->nlmsg_len < sizeof(nlmsghdr) || message->nlmsg_len > received.size() - at) {
      return;
    }
    each(message);
    at += NLMSG_ALIGN(message->nlmsg_len);
  }
}

/// Room for the kernel's largest message, NLMSG_GOODSIZE, and more.
inline constexpr std::size_t kNetlinkBufferBytes = 32768;

}  // namespace hilgate
