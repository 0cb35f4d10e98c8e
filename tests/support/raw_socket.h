// SPDX-License-Identifier: Apache-2.0
// Frames in and out of an interface as they are, through AF_PACKET: what a robot's driver would send and see.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "tests/support/netns.h"
#include "tests/support/packets.h"

namespace hilgate::test {

/// Sends and receives whole frames on one interface. Hears what arrives there, not what the interface itself sends.
class RawSocket {
 public:
  static constexpr std::uint16_t kEveryEthertype = 0x0003;  // ETH_P_ALL

  /// Receives what comes in, or what comes with this ethertype: a flood of others does not fill its buffer.
  RawSocket(const NetNs& where, const std::string& interface, std::uint16_t ethertype = kEveryEthertype);
  ~RawSocket();
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;

  void send(const Bytes& frame) const;
  /// The next frame, VLAN tags included; empty when none comes in time.
  [[nodiscard]] std::optional<Bytes> receive(std::chrono::milliseconds limit) const;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

}  // namespace hilgate::test
