// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clock/ptp/ptp_message.h"

namespace hilgate {

enum class PtpTransportKind : std::uint8_t { kUdp4, kUdp6, kEthernet };

/// A message that has come in, or one of our own event messages that has gone out, with the instant at which it did.
struct PtpArrival {
  std::span<const std::byte> message;
  HostTime stamp;
  bool was_sent = false;
};

/// PTP messages in and out of one network interface, stamped by the kernel or the NIC. One thread.
class PtpTransport {
 public:
  virtual ~PtpTransport() = default;
  PtpTransport() = default;
  PtpTransport(const PtpTransport&) = delete;
  PtpTransport& operator=(const PtpTransport&) = delete;

  /// Sends to the multicast address that belongs to the message's type. False when the interface takes nothing (down,
  /// queue full).
  virtual bool send(const PtpMessage& message) = 0;
  /// Hands over what has arrived and what has been sent, at most 64 messages of each, never waits. Event messages
  /// without a stamp are left out and counted.
  virtual void drain(const std::function<void(const PtpArrival&)>& take) = 0;
  /// Become readable, or show an error condition, when drain() has something.
  [[nodiscard]] virtual std::vector<int> descriptors() const = 0;
  /// One line for people: interface, transport, source of time stamps.
  [[nodiscard]] virtual std::string describe() const = 0;
  /// Made from the interface's MAC address.
  [[nodiscard]] virtual ClockIdentity identity() const = 0;
  /// Event messages that came without a stamp, since the start.
  [[nodiscard]] virtual std::uint64_t unstamped() const = 0;
};

/// Opens the interface in this thread's network namespace. Stamps in hardware when the NIC stamps both ways and
/// `allow_hardware`. Needs CAP_NET_RAW for L2 and CAP_NET_BIND_SERVICE for UDP. Throws std::runtime_error or
/// std::system_error with what failed on which interface.
std::unique_ptr<PtpTransport> open_ptp_transport(PtpTransportKind kind, const std::string& interface,
                                                 bool allow_hardware = true);

}  // namespace hilgate
