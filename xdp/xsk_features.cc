// SPDX-License-Identifier: Apache-2.0
#include "xdp/xsk_features.h"

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "host/file_descriptor.h"
#include "host/interface_watch.h"

namespace hilgate {
namespace {

// include/uapi/linux/netdev.h, which Debian 12's headers do not have.
constexpr const char kFamily[] = "netdev";
constexpr std::uint8_t kDevGet = 1;          // NETDEV_CMD_DEV_GET
constexpr std::uint16_t kDevIndex = 1;       // NETDEV_A_DEV_IFINDEX
constexpr std::uint16_t kDevFeatures = 6;    // NETDEV_A_DEV_XSK_FEATURES
constexpr std::uint16_t kTypeBits = 0x3fff;  // of nlattr::nla_type; NLA_TYPE_MASK

struct Request {
  nlmsghdr head{};
  genlmsghdr command{};
  std::array<std::byte, 32> attribute{};
};

template <class Value>
std::optional<Value> attribute_of(const nlmsghdr* message, std::uint16_t type) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(message);
  for (std::size_t at = NLMSG_LENGTH(GENL_HDRLEN); at + sizeof(nlattr) <= message->nlmsg_len;) {
    nlattr attribute{};
    std::memcpy(&attribute, bytes + at, sizeof attribute);
    if (attribute.nla_len < sizeof attribute || attribute.nla_len > message->nlmsg_len - at) {
      return std::nullopt;
    }
    if ((attribute.nla_type & kTypeBits) == type && attribute.nla_len >= NLA_HDRLEN + sizeof(Value)) {
      Value value{};
      std::memcpy(&value, bytes + at + NLA_HDRLEN, sizeof value);
      return value;
    }
    at += NLMSG_ALIGN(attribute.nla_len);
  }
  return std::nullopt;
}

// One attribute out of the answer to a question with one attribute.
template <class Value>
std::optional<Value> ask(int socket, std::uint16_t family, std::uint8_t command, std::uint16_t asked,
                         std::span<const std::byte> key, std::uint16_t wanted) {
  Request request;
  request.head.nlmsg_len = static_cast<std::uint32_t>(NLMSG_LENGTH(GENL_HDRLEN) + NLMSG_ALIGN(NLA_HDRLEN + key.size()));
  request.head.nlmsg_type = family;
  request.head.nlmsg_flags = NLM_F_REQUEST;
  request.command = {.cmd = command, .version = 1, .reserved = 0};
  const nlattr attribute{static_cast<std::uint16_t>(NLA_HDRLEN + key.size()), asked};
  std::memcpy(request.attribute.data(), &attribute, sizeof attribute);
  std::memcpy(request.attribute.data() + NLA_HDRLEN, key.data(), key.size());
  if (::send(socket, &request, request.head.nlmsg_len, 0) < 0) {
    return std::nullopt;
  }
  alignas(nlmsghdr) std::array<std::byte, kNetlinkBufferBytes> buffer{};
  const ssize_t bytes = ::recv(socket, buffer.data(), buffer.size(), 0);
  std::optional<Value> value;
  if (bytes > 0) {
    each_netlink_message({buffer.data(), static_cast<std::size_t>(bytes)}, [&](const nlmsghdr* message) {
      if (message->nlmsg_type == family) {
        value = attribute_of<Value>(message, wanted);
      }
    });
  }
  return value;
}

}  // namespace

std::optional<std::uint64_t> xsk_features(unsigned interface) {
  const FileDescriptor socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC));
  if (!socket.valid()) {
    return std::nullopt;
  }
  const auto family = ask<std::uint16_t>(socket.get(), GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
                                         std::as_bytes(std::span(kFamily)), CTRL_ATTR_FAMILY_ID);
  if (!family) {
    return std::nullopt;
  }
  return ask<std::uint64_t>(socket.get(), *family, kDevGet, kDevIndex, std::as_bytes(std::span(&interface, 1)),
                            kDevFeatures);
}

}  // namespace hilgate
