// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/netlink.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "host/file_descriptor.h"

// What lies in the buffer that a netlink socket was read into (netlink(7)).

namespace hilgate {

/// each(message) for the complete messages; each is followed by its payload. `received` is aligned as nlmsghdr.
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

/// A network interface of which something changed: it appeared, went, is up, down, renamed, or has another address.
struct InterfaceChange {
  unsigned index = 0;
  std::string name{};  // as it is after the change; empty for a change of its IP addresses
};

struct InterfaceChanges {
  bool unknown = false;  // more happened than the kernel could tell: anything may have changed
  std::vector<InterfaceChange> links{};

  [[nodiscard]] bool concern(unsigned index, const std::string& name) const;
  [[nodiscard]] bool empty() const { return !unknown && links.empty(); }
};

/// Changes of the interfaces in the network namespace that it was made in (rtnetlink(7)). One thread.
class InterfaceWatch {
 public:
  /// Throws std::system_error.
  InterfaceWatch();

  /// Readable when there is word.
  [[nodiscard]] int fd() const { return socket_.get(); }
  /// What is there, without waiting.
  InterfaceChanges read();

 private:
  FileDescriptor socket_;
};

/// What to do where robots in namespaces of this machine are more than the kernel's table of IPv4 neighbours has room
/// for: every robot that speaks to all others needs an entry for each, and the table is that of all namespaces
/// together. Empty where there is room, or where the limit cannot be read below `root`, as in network namespaces other
/// than the first.
std::string few_neighbours(std::size_t robots, const std::filesystem::path& root = "/");

}  // namespace hilgate
