// SPDX-License-Identifier: Apache-2.0
// SO_TIMESTAMPING (Documentation/networking/timestamping.rst): switched on, read, and turned into host time.
#pragma once

#include <ctime>

#include <linux/errqueue.h>  // needs timespec

#include <optional>
#include <span>
#include <string>

#include "clock/hardware/clock_bridges.h"
#include "clock/hardware/phc_device.h"

namespace hilgate {

/// A datagram with the stamp that the kernel or the NIC gave it.
struct StampedBytes {
  std::span<std::byte> bytes;
  std::optional<HostTime> stamp;
};

/// The clock that stamps an interface's packets: the NIC's, when it can stamp what is sent and what is received, and
/// CLOCK_REALTIME otherwise.
class PacketStamps {
 public:
  /// Switches hardware stamping on if it is there and allowed; asks the NIC through any socket of its namespace.
  PacketStamps(const std::string& interface, bool allow_hardware, int any_socket);

  /// Makes the kernel stamp what this socket sends and receives.
  void enable(int socket) const;
  /// Takes the next datagram, or with `sent` the next copy of what was sent (from the error queue). Nothing: none left.
  std::optional<StampedBytes> receive(int socket, std::span<std::byte> buffer, bool sent);
  /// Measures the clocks against each other again; call before a batch of receive().
  void refresh();
  [[nodiscard]] std::string describe() const;

 private:
  [[nodiscard]] std::optional<HostTime> host(const scm_timestamping& stamps) const;

  RealtimeBridge realtime_;
  std::optional<PhcDevice> phc_;
  PhcBridge phc_bridge_;
};

}  // namespace hilgate
