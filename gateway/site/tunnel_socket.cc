// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/tunnel_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>
#include <stdexcept>

#include "host/socket_buffers.h"

namespace hilgate {

void sleep_until(int waker, int socket, Nanoseconds span) noexcept {
  if (span <= Nanoseconds{0}) {
    return;
  }
  std::array<pollfd, 2> watched{
      {{.fd = waker, .events = POLLIN, .revents = 0}, {.fd = socket, .events = POLLIN, .revents = 0}}};
  const timespec limit{.tv_sec = static_cast<std::time_t>(span.count() / 1'000'000'000),
                       .tv_nsec = static_cast<long>(span.count() % 1'000'000'000)};
  ::ppoll(watched.data(), watched.size(), &limit, nullptr);
}

namespace {

constexpr int kBufferBytes = 8 << 20;       // a burst of 4000 frames, while the thread is not given its processor
constexpr std::size_t kRoom = 65'536;       // of a message that is received
constexpr std::size_t kMostTogether = 128;  // datagrams in it

sockaddr_in address_of(std::uint32_t ipv4, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(ipv4);
  return address;
}

std::string text_of(const SiteEnd& end) {
  std::array<char, INET_ADDRSTRLEN> text{};
  const in_addr address{htonl(end.ipv4)};
  ::inet_ntop(AF_INET, &address, text.data(), text.size());
  return fmt::format("{}:{}", text.data(), end.port);
}

// Of the datagrams that a message was joined of; nothing: it is one.
std::optional<std::size_t> segment_length(msghdr& header) {
  for (cmsghdr* said = CMSG_FIRSTHDR(&header); said != nullptr; said = CMSG_NXTHDR(&header, said)) {
    if (said->cmsg_level == SOL_UDP && said->cmsg_type == UDP_GRO) {
      int length = 0;
      std::memcpy(&length, CMSG_DATA(said), sizeof length);
      return length > 0 ? std::optional(static_cast<std::size_t>(length)) : std::nullopt;
    }
  }
  return std::nullopt;
}

void ask_for_segments(msghdr& header, std::span<std::byte> room, std::uint16_t length) {
  header.msg_control = room.data();
  header.msg_controllen = CMSG_SPACE(sizeof length);
  cmsghdr* const asked = CMSG_FIRSTHDR(&header);
  asked->cmsg_level = SOL_UDP;
  asked->cmsg_type = UDP_SEGMENT;
  asked->cmsg_len = CMSG_LEN(sizeof length);
  std::memcpy(CMSG_DATA(asked), &length, sizeof length);
}

}  // namespace

TunnelSocket::TunnelSocket(const SiteEnd& own)
    : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      room_(kMessages * kRoom),
      joined_(kBatch * kMostParts) {
  const sockaddr_in address = address_of(own.ipv4, own.port);
  if (socket_.get() < 0 || ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    throw std::runtime_error(fmt::format("site: gateway '{}' cannot have {}/udp: {}{}", own.name, text_of(own),
                                         std::strerror(error),
                                         error == EADDRNOTAVAIL ? "; that address is no interface's of this machine"
                                         : error == EADDRINUSE  ? "; another process has it: `ss -lunp`"
                                                                : ""));
  }
  enlarge_receive_buffer(socket_.get(), kBufferBytes);
  enlarge_send_buffer(socket_.get(), kBufferBytes);
  // Frames with our headers may be longer than the way takes: fragments are better than nothing.
  const int no_discovery = IP_PMTUDISC_DONT;
  static_cast<void>(::setsockopt(socket_.get(), IPPROTO_IP, IP_MTU_DISCOVER, &no_discovery, sizeof no_discovery));
  const int joined = 1;
  static_cast<void>(::setsockopt(socket_.get(), SOL_UDP, UDP_GRO, &joined, sizeof joined));
  datagrams_.reserve(kMessages * kMostTogether);
  for (std::size_t i = 0; i < kMessages; ++i) {
    into_[i] = {.iov_base = room_.data() + i * kRoom, .iov_len = kRoom};
    in_[i].msg_hdr.msg_name = &from_[i];
    in_[i].msg_hdr.msg_iov = &into_[i];
    in_[i].msg_hdr.msg_iovlen = 1;
    in_[i].msg_hdr.msg_control = said_[i].bytes.data();
  }
}

std::span<const TunnelSocket::Datagram> TunnelSocket::receive() noexcept {
  for (mmsghdr& message : in_) {
    message.msg_hdr.msg_namelen = sizeof(sockaddr_in);
    message.msg_hdr.msg_controllen = sizeof(Control);
  }
  const int count = ::recvmmsg(socket_.get(), in_.data(), kMessages, MSG_DONTWAIT, nullptr);
  datagrams_.clear();
  for (int i = 0; i < count; ++i) {
    receive_from(static_cast<std::size_t>(i));
  }
  return datagrams_;
}

void TunnelSocket::receive_from(std::size_t message) {
  const std::span<const std::byte> bytes(room_.data() + message * kRoom, in_[message].msg_len);
  const std::size_t each = segment_length(in_[message].msg_hdr).value_or(bytes.size());
  for (std::size_t at = 0; at == 0 || (at < bytes.size() && datagrams_.size() < datagrams_.capacity()); at += each) {
    datagrams_.push_back({.ipv4 = ntohl(from_[message].sin_addr.s_addr),
                          .port = ntohs(from_[message].sin_port),
                          .bytes = bytes.subspan(at, std::min(each, bytes.size() - at))});
    if (each == 0) {
      return;
    }
  }
}

// In the order in which they were added, for each gateway; what is for different ones need not be.
void TunnelSocket::join() noexcept {
  const std::span<const Outgoing> added = outgoing();
  std::array<bool, kBatch> placed{};
  made_ = 0;
  for (std::size_t first = 0; first < added.size(); ++first) {
    if (placed[first]) {
      continue;
    }
    Message& message = messages_[made_++];
    message.members[0] = static_cast<std::uint8_t>(first);
    message.count = 1;
    message.length = added[first].length;
    std::size_t bytes = message.length;
    for (std::size_t next = first + 1; next < added.size() && message.length <= joinable_; ++next) {
      if (placed[next] || added[next].ipv4 != added[first].ipv4 || added[next].port != added[first].port) {
        continue;
      }
      const std::size_t length = added[next].length;
      if (length > message.length || bytes + length > kMostJoined || message.count == kMostSegments) {
        break;
      }
      message.members[message.count++] = static_cast<std::uint8_t>(next);
      placed[next] = true;
      bytes += length;
      if (length < message.length) {
        break;
      }
    }
  }
}

// Of what goes as one the parts lie together.
void TunnelSocket::fill(std::size_t message) noexcept {
  const Message& made = messages_[message];
  iovec* const begin =
      message == 0 ? joined_.data() : out_[message - 1].msg_hdr.msg_iov + out_[message - 1].msg_hdr.msg_iovlen;
  iovec* end = begin;
  for (std::size_t i = 0; i < made.count; ++i) {
    const Outgoing& member = outgoing()[made.members[i]];
    end = std::copy_n(member.parts.begin(), member.count, end);
  }
  const Outgoing& first = outgoing()[made.members[0]];
  to_[message] = address_of(first.ipv4, first.port);
  msghdr& header = out_[message].msg_hdr;
  header.msg_name = &to_[message];
  header.msg_namelen = sizeof(sockaddr_in);
  header.msg_iov = begin;
  header.msg_iovlen = static_cast<std::size_t>(end - begin);
  header.msg_control = nullptr;
  header.msg_controllen = 0;
  if (made.count > 1) {
    ask_for_segments(header, asked_[message].bytes, static_cast<std::uint16_t>(made.length));
  }
}

// What cannot go to one gateway, which may have no route or no neighbour, must not keep others from theirs.
void TunnelSocket::send() noexcept {
  join();
  for (std::size_t i = 0; i < made_; ++i) {
    fill(i);
  }
  for (std::size_t at = 0; at < made_;) {
    const int count = ::sendmmsg(socket_.get(), out_.data() + at, static_cast<unsigned>(made_ - at), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    const int error = errno;
    for (int i = 0; i < count; ++i) {
      note(messages_[at++], true);
    }
    if (count <= 0) {
      messages_[at].count > 1 ? send_apart(at, error) : note(messages_[at], false);
      ++at;
    }
  }
}

void TunnelSocket::note(const Message& message, bool taken) noexcept {
  for (std::size_t i = 0; i < message.count; ++i) {
    outgoing()[message.members[i]].taken = taken;
  }
}

// Longer than the way takes without fragments, or by a device that does not divide.
void TunnelSocket::send_apart(std::size_t message, int error) noexcept {
  const Message& made = messages_[message];
  if (error != EINVAL && error != EMSGSIZE && error != EIO && error != EOPNOTSUPP) {
    return note(made, false);
  }
  joinable_ = error == EINVAL || error == EMSGSIZE ? made.length - 1 : 0;
  for (std::size_t i = 0; i < made.count; ++i) {
    Outgoing& member = outgoing()[made.members[i]];
    msghdr header{};
    header.msg_name = &to_[message];
    header.msg_namelen = sizeof(sockaddr_in);
    header.msg_iov = member.parts.data();
    header.msg_iovlen = member.count;
    member.taken = ::sendmsg(socket_.get(), &header, MSG_DONTWAIT) >= 0;
  }
}

std::unique_ptr<SiteSocket> open_tunnel_socket(const SiteEnd& own) {
  return std::make_unique<TunnelSocket>(own);
}

}  // namespace hilgate
