// SPDX-License-Identifier: Apache-2.0
// UDP as an application on a robot uses it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/support/netns.h"
#include "tests/support/packets.h"

namespace hilgate::test {

/// A socket in a namespace, IPv4 or IPv6 by `address`, bound to it ("0.0.0.0" and "::" are all). May broadcast.
class UdpSocket {
 public:
  UdpSocket(const NetNs& where, const std::string& address, std::uint16_t port);
  ~UdpSocket();
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  void send(const std::string& address, std::uint16_t port, const Bytes& payload) const;
  /// The next datagram's payload; empty when none comes in time.
  [[nodiscard]] std::optional<Bytes> receive(std::chrono::milliseconds limit) const;
  /// Hears a group, and sends to groups, on an interface of its namespace.
  void join(const std::string& group, const std::string& interface) const;

 private:
  const NetNs* where_;
  int fd_ = -1;
};

}  // namespace hilgate::test
