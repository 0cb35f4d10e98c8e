// SPDX-License-Identifier: Apache-2.0
// Signals and messages of DLEP, the Dynamic Link Exchange Protocol (RFC 8175), by which a modem reports its links to a
// router, as a modem reads and writes them. Numbers are in network order. A signal is a UDP datagram, "DLEP", a type, a
// length, data items; a message is the same without "DLEP", in a TCP stream. An item is a type, a length and a value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "clock/time.h"
#include "frame/address.h"

namespace hilgate {

/// RFC 8175, 15.3 and table 1.
enum class DlepMessageType : std::uint16_t {
  kSessionInitialization = 1,
  kSessionInitializationResponse = 2,
  kSessionUpdate = 3,
  kSessionUpdateResponse = 4,
  kSessionTermination = 5,
  kSessionTerminationResponse = 6,
  kDestinationUp = 7,
  kDestinationUpResponse = 8,
  kDestinationAnnounce = 9,
  kDestinationAnnounceResponse = 10,
  kDestinationDown = 11,
  kDestinationDownResponse = 12,
  kDestinationUpdate = 13,
  kLinkCharacteristicsRequest = 14,
  kLinkCharacteristicsResponse = 15,
  kHeartbeat = 16,
};

/// RFC 8175, table 2. From 128 on a status ends the session (erratum 6877).
enum class DlepStatusCode : std::uint8_t {
  kSuccess = 0,
  kNotInterested = 1,
  kRequestDenied = 2,
  kInconsistentData = 3,
  kUnknownMessage = 128,
  kUnexpectedMessage = 129,
  kInvalidData = 130,
  kInvalidDestination = 131,
  kTimedOut = 132,
  kShuttingDown = 255,
};
/// "Invalid Data"; "status 77" for a code that the RFC does not have.
std::string dlep_status_name(DlepStatusCode code);

/// What a router may know of a link, or of all of a modem's links (RFC 8175, 13.12 to 13.20). Resources are not
/// reported.
struct DlepMetrics {
  std::uint64_t max_receive_bps = 0;  // from the destination to the router
  std::uint64_t max_transmit_bps = 0;
  std::uint64_t receive_bps = 0;  // at most the maximum
  std::uint64_t transmit_bps = 0;
  std::uint64_t latency_us = 0;
  std::uint8_t receive_quality = 100;   // relative link quality, [0, 100]
  std::uint8_t transmit_quality = 100;  // likewise
  std::optional<std::uint16_t> mtu{};   // bytes of IP packet; absent: the link has no limit of its own

  friend bool operator==(const DlepMetrics&, const DlepMetrics&) = default;
};

/// A MAC address item: EUI-48 or EUI-64.
struct DlepMac {
  std::array<std::byte, 8> bytes{};
  std::uint8_t size = 0;  // 6 or 8; 0: none

  static DlepMac of(MacAddress mac);
  /// Nothing for an EUI-64, which no robot has.
  [[nodiscard]] std::optional<MacAddress> eui48() const;
};

/// A message of a router. Which fields have a value depends on the type.
struct DlepRouterMessage {
  DlepMessageType type = DlepMessageType::kHeartbeat;
  DlepMac mac{};
  DlepStatusCode status = DlepStatusCode::kSuccess;
  std::string status_text{};
  std::string peer_type{};
  Nanoseconds heartbeat{0};  // whole milliseconds, above 0
};

/// A message that ends the session with this status.
struct DlepFault {
  DlepStatusCode code = DlepStatusCode::kInvalidData;
  std::string text{};
};

inline constexpr std::size_t kDlepHeaderBytes = 4;

/// The length of the message at the front of a stream, header counted; nothing while its header is incomplete. At most
/// 65539.
std::optional<std::size_t> dlep_message_bytes(std::span<const std::byte> stream);

/// Reads one complete message of a router. Strict: items that the message may not have, or too often, or too rarely,
/// and values of another length or out of range are kInvalidData, messages of modems kUnexpectedMessage, and types that
/// the RFC does not have kUnknownMessage.
std::variant<DlepRouterMessage, DlepFault> read_dlep_message(std::span<const std::byte> message);

/// Whether a datagram is a Peer Discovery signal, without any fault.
bool is_dlep_discovery(std::span<const std::byte> datagram);

/// Puts a message, or a Peer Offer, together.
class DlepWriter {
 public:
  explicit DlepWriter(DlepMessageType type);
  /// A Peer Offer signal.
  static DlepWriter offer();

  DlepWriter& status(DlepStatusCode code, std::string_view text = {});
  /// Where the modem listens for TCP, without TLS.
  DlepWriter& connection_point(const IpAddress& address, std::uint16_t port);
  /// Of a medium that is not secured. At most 254 bytes of UTF-8.
  DlepWriter& peer_type(std::string_view text);
  /// In whole milliseconds, at most 2^32 - 1.
  DlepWriter& heartbeat(Nanoseconds interval);
  DlepWriter& mac(const DlepMac& mac);
  /// An address of the destination, which it has from now on.
  DlepWriter& address(const IpAddress& address);
  DlepWriter& metrics(const DlepMetrics& metrics);
  /// The message or signal, with its length.
  [[nodiscard]] std::string bytes() &&;

 private:
  DlepWriter() = default;
  template <class Number>
  void number(Number value);
  void item(std::uint16_t type, std::size_t bytes);
  void ip(const IpAddress& address);
  template <class Number>
  void number_item(std::uint16_t type, Number value);

  std::string bytes_;
  std::size_t length_at_ = 2;  // of the length in bytes_
};

}  // namespace hilgate
