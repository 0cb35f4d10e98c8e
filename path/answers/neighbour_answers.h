// SPDX-License-Identifier: Apache-2.0
// Answers to ARP (RFC 826) and neighbour solicitation (RFC 4861) for robots that the asking robot cannot reach.
//
// A host without a neighbour's address sends only requests for it. A vehicle out of range would thus fall silent, and a
// gateway that knows its position by its telemetry alone would never see it come back. Radios that carry a serial
// stream have no such requests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "frame/address.h"

namespace hilgate {

/// Used by one thread. Does not allocate.
class NeighbourAnswers {
 public:
  /// The address that a frame asks for. Empty unless it is an ARP request or a neighbour solicitation from a host with
  /// an address: probes for duplicates stay unanswered. `payload` follows the EtherType.
  static std::optional<IpAddress> asked(std::span<const std::byte> head, std::uint32_t payload);

  /// What the host that was asked for would send, if its address is `mac`. Requires asked(). Valid until the next call.
  std::span<const std::byte> answer(std::span<const std::byte> head, std::uint32_t payload, MacAddress mac);

 private:
  std::span<const std::byte> answer_arp(std::span<const std::byte> head, std::uint32_t payload, MacAddress mac);
  std::span<const std::byte> answer_solicitation(std::span<const std::byte> head, std::uint32_t payload,
                                                 MacAddress mac);
  void write_mac_header(std::span<const std::byte> head, std::uint32_t payload, std::span<const std::byte, 6> to,
                        MacAddress from);

  static constexpr std::size_t kLongest = 22 + 40 + 32;  // two tags, IPv6, an advertisement with one option
  std::array<std::byte, kLongest> frame_{};
};

}  // namespace hilgate
