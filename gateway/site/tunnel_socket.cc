// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/tunnel_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace hilgate {
namespace {

constexpr int kBufferBytes = 8 << 20;  // a burst of 4000 frames, while the thread is not given its processor

sockaddr_in address_of(const SiteEnd& end) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(end.port);
  address.sin_addr.s_addr = htonl(end.ipv4);
  return address;
}

std::string text_of(const SiteEnd& end) {
  std::array<char, INET_ADDRSTRLEN> text{};
  const in_addr address{htonl(end.ipv4)};
  ::inet_ntop(AF_INET, &address, text.data(), text.size());
  return fmt::format("{}:{}", text.data(), end.port);
}

// As much as the system allows, beyond its limit where the process may.
void enlarge(int socket, int option, int beyond) {
  if (::setsockopt(socket, SOL_SOCKET, beyond, &kBufferBytes, sizeof kBufferBytes) != 0) {
    static_cast<void>(::setsockopt(socket, SOL_SOCKET, option, &kBufferBytes, sizeof kBufferBytes));
  }
}

}  // namespace

TunnelSocket::TunnelSocket(const SiteEnd& own)
    : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), room_(kBatch * kMostBytes) {
  const sockaddr_in address = address_of(own);
  if (socket_.get() < 0 || ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    throw std::runtime_error(fmt::format("site: gateway '{}' cannot have {}/udp: {}{}", own.name, text_of(own),
                                         std::strerror(error),
                                         error == EADDRNOTAVAIL ? "; that address is no interface's of this machine"
                                         : error == EADDRINUSE  ? "; another process has it: `ss -lunp`"
                                                                : ""));
  }
  enlarge(socket_.get(), SO_RCVBUF, SO_RCVBUFFORCE);
  enlarge(socket_.get(), SO_SNDBUF, SO_SNDBUFFORCE);
  // Frames with our headers may be longer than the way takes: fragments are better than nothing.
  const int no_discovery = IP_PMTUDISC_DONT;
  static_cast<void>(::setsockopt(socket_.get(), IPPROTO_IP, IP_MTU_DISCOVER, &no_discovery, sizeof no_discovery));
  for (std::size_t i = 0; i < kBatch; ++i) {
    into_[i] = {.iov_base = room_.data() + i * kMostBytes, .iov_len = kMostBytes};
    in_[i].msg_hdr.msg_name = &from_[i];
    in_[i].msg_hdr.msg_iov = &into_[i];
    in_[i].msg_hdr.msg_iovlen = 1;
    out_[i].msg_hdr.msg_name = &to_[i];
    out_[i].msg_hdr.msg_namelen = sizeof(sockaddr_in);
    out_[i].msg_hdr.msg_iov = parts_[i].data();
  }
}

std::span<const TunnelSocket::Datagram> TunnelSocket::receive() noexcept {
  for (mmsghdr& message : in_) {
    message.msg_hdr.msg_namelen = sizeof(sockaddr_in);
  }
  const int count = ::recvmmsg(socket_.get(), in_.data(), kBatch, MSG_DONTWAIT, nullptr);
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    datagrams_[at] = {.ipv4 = ntohl(from_[at].sin_addr.s_addr),
                      .port = ntohs(from_[at].sin_port),
                      .bytes = {room_.data() + at * kMostBytes, in_[at].msg_len}};
  }
  return {datagrams_.data(), static_cast<std::size_t>(std::max(count, 0))};
}

bool TunnelSocket::add(const SiteEnd& to, std::span<const iovec> parts) noexcept {
  if (added_ == kBatch || parts.size() > kMostParts) {
    return false;
  }
  to_[added_] = address_of(to);
  std::ranges::copy(parts, parts_[added_].begin());
  out_[added_].msg_hdr.msg_iovlen = parts.size();
  ++added_;
  return true;
}

// What cannot go to one gateway, which may have no route or no neighbour, must not keep others from theirs.
void TunnelSocket::send() noexcept {
  for (std::size_t at = 0; at < added_;) {
    const int count = ::sendmmsg(socket_.get(), out_.data() + at, static_cast<unsigned>(added_ - at), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    const std::size_t taken = static_cast<std::size_t>(std::max(count, 0));
    std::fill_n(taken_.begin() + static_cast<std::ptrdiff_t>(at), taken, true);
    at += taken;
    if (taken == 0) {
      taken_[at++] = false;
    }
  }
}

}  // namespace hilgate
