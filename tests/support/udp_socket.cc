// SPDX-License-Identifier: Apache-2.0
#include "tests/support/udp_socket.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace hilgate::test {
namespace {

void require(bool good, const std::string& what) {
  if (!good) {
    throw std::system_error(errno, std::generic_category(), what);
  }
}

bool is_ipv6(const std::string& address) {
  return address.find(':') != std::string::npos;
}

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Address address_of(const std::string& text, std::uint16_t port) {
  Address address;
  if (is_ipv6(text)) {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(address.storage);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    require(::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1, text);
    address.length = sizeof v6;
  } else {
    auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    require(::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1, text);
    address.length = sizeof v4;
  }
  return address;
}

}  // namespace

UdpSocket::UdpSocket(const NetNs& where, const std::string& address, std::uint16_t port) : where_(&where) {
  const InNetNs here = where.enter();
  fd_ = ::socket(is_ipv6(address) ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  require(fd_ >= 0, "UDP socket");
  const int on = 1;
  const int room = 8 << 20;  // for bursts that come before the test looks
  require(::setsockopt(fd_, SOL_SOCKET, SO_BROADCAST, &on, sizeof on) == 0, "SO_BROADCAST");
  require(::setsockopt(fd_, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) == 0, "SO_RCVBUFFORCE");
  const Address own = address_of(address, port);
  require(::bind(fd_, own.get(), own.length) == 0, "bind to " + address);
}

UdpSocket::~UdpSocket() {
  ::close(fd_);
}

void UdpSocket::send(const std::string& address, std::uint16_t port, const Bytes& payload) const {
  const Address to = address_of(address, port);
  require(::sendto(fd_, payload.data(), payload.size(), 0, to.get(), to.length) == static_cast<ssize_t>(payload.size()),
          "send to " + address);
}

std::optional<Bytes> UdpSocket::receive(std::chrono::milliseconds limit) const {
  pollfd ready{fd_, POLLIN, 0};
  if (::poll(&ready, 1, static_cast<int>(limit.count())) != 1) {
    return std::nullopt;
  }
  thread_local Bytes room(65536);  // as in raw_socket.cc
  const ssize_t length = ::recv(fd_, room.data(), room.size(), MSG_DONTWAIT);
  if (length < 0 && errno == EAGAIN) {  // its checksum was wrong: the kernel looked only now
    return std::nullopt;
  }
  require(length >= 0, "receive");
  return Bytes(room.begin(), room.begin() + length);
}

void UdpSocket::join(const std::string& group, const std::string& interface) const {
  const InNetNs here = where_->enter();
  const unsigned index = ::if_nametoindex(interface.c_str());
  const Address address = address_of(group, 0);
  if (is_ipv6(group)) {
    ipv6_mreq request{reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr, index};
    require(::setsockopt(fd_, IPPROTO_IPV6, IPV6_JOIN_GROUP, &request, sizeof request) == 0, "join " + group);
    require(::setsockopt(fd_, IPPROTO_IPV6, IPV6_MULTICAST_IF, &index, sizeof index) == 0, "IPV6_MULTICAST_IF");
  } else {
    ip_mreqn request{reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr, {}, static_cast<int>(index)};
    require(::setsockopt(fd_, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request) == 0, "join " + group);
    require(::setsockopt(fd_, IPPROTO_IP, IP_MULTICAST_IF, &request, sizeof request) == 0, "IP_MULTICAST_IF");
  }
}

}  // namespace hilgate::test
