// SPDX-License-Identifier: Apache-2.0
#include "gateway/dlep/protocol/dlep_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstring>
#include <utility>

#include "host/byte_cursor.h"

namespace hilgate {
namespace {

/// RFC 8175, 13: data items by their types.
enum class Item : std::uint16_t {
  kStatus = 1,
  kIpv4ConnectionPoint = 2,
  kIpv6ConnectionPoint = 3,
  kPeerType = 4,
  kHeartbeatInterval = 5,
  kExtensionsSupported = 6,
  kMacAddress = 7,
  kIpv4Address = 8,
  kIpv6Address = 9,
  kIpv4Subnet = 10,
  kIpv6Subnet = 11,
  kMaxReceive = 12,
  kMaxTransmit = 13,
  kReceive = 14,
  kTransmit = 15,
  kLatency = 16,
  kResources = 17,
  kReceiveQuality = 18,
  kTransmitQuality = 19,
  kMtu = 20,
};

constexpr std::string_view kSignature = "DLEP";
constexpr std::uint16_t kPeerDiscovery = 1;
constexpr std::uint16_t kPeerOffer = 2;
constexpr std::uint16_t kLastType = 16;
constexpr unsigned kAny = 0xFFFF;

struct ItemRule {
  Item item;
  unsigned least, most;  // times in one message
};

constexpr std::array kInitializationItems = {
    ItemRule{Item::kHeartbeatInterval, 1, 1},   ItemRule{Item::kPeerType, 1, 1},
    ItemRule{Item::kExtensionsSupported, 0, 1}, ItemRule{Item::kIpv4Address, 0, kAny},
    ItemRule{Item::kIpv6Address, 0, kAny},      ItemRule{Item::kIpv4Subnet, 0, kAny},
    ItemRule{Item::kIpv6Subnet, 0, kAny}};
constexpr std::array kAddressItems = {ItemRule{Item::kIpv4Address, 0, kAny}, ItemRule{Item::kIpv6Address, 0, kAny},
                                      ItemRule{Item::kIpv4Subnet, 0, kAny}, ItemRule{Item::kIpv6Subnet, 0, kAny}};
constexpr std::array kStatusItems = {ItemRule{Item::kStatus, 1, 1}};
constexpr std::array kMacAndStatusItems = {ItemRule{Item::kMacAddress, 1, 1}, ItemRule{Item::kStatus, 1, 1}};
constexpr std::array kMacItems = {ItemRule{Item::kMacAddress, 1, 1}};
constexpr std::array kAnnounceItems = {ItemRule{Item::kMacAddress, 1, 1}, ItemRule{Item::kIpv4Address, 0, kAny},
                                       ItemRule{Item::kIpv6Address, 0, kAny}};
constexpr std::array kRequestItems = {ItemRule{Item::kMacAddress, 1, 1}, ItemRule{Item::kReceive, 0, 1},
                                      ItemRule{Item::kTransmit, 0, 1}, ItemRule{Item::kLatency, 0, 1}};
constexpr std::array kDiscoveryItems = {ItemRule{Item::kPeerType, 0, 1}};

/// Nothing for messages that modems alone send.
std::optional<std::span<const ItemRule>> items_of_router(DlepMessageType type) {
  using enum DlepMessageType;
  switch (type) {
    case kSessionInitialization:
      return kInitializationItems;
    case kSessionUpdate:
      return kAddressItems;
    case kSessionUpdateResponse:
    case kSessionTermination:
      return kStatusItems;
    case kSessionTerminationResponse:
    case kHeartbeat:
      return std::span<const ItemRule>{};
    case kDestinationUpResponse:
    case kDestinationDownResponse:
      return kMacAndStatusItems;
    case kDestinationAnnounce:
      return kAnnounceItems;
    case kDestinationDown:
      return kMacItems;
    case kLinkCharacteristicsRequest:
      return kRequestItems;
    default:
      return std::nullopt;
  }
}

bool has_length(Item item, std::size_t bytes) {
  switch (item) {
    case Item::kStatus:
    case Item::kPeerType:
      return bytes >= 1;
    case Item::kHeartbeatInterval:
      return bytes == 4;
    case Item::kExtensionsSupported:
      return bytes % 2 == 0;
    case Item::kMacAddress:
      return bytes == 6 || bytes == 8;
    case Item::kIpv4Address:
      return bytes == 5;
    case Item::kIpv6Address:
      return bytes == 17;
    case Item::kIpv4Subnet:
      return bytes == 6;
    case Item::kIpv6Subnet:
      return bytes == 18;
    default:
      return bytes == 8;  // rates and latency
  }
}

/// Text without the control characters, for logs and status.
std::string shown_text(std::span<const std::byte> bytes) {
  constexpr std::size_t kMost = 64;
  std::string text;
  for (const std::byte byte : bytes.first(std::min(bytes.size(), kMost))) {
    const auto c = std::to_integer<unsigned char>(byte);
    text += c >= 0x20 && c < 0x7F ? static_cast<char>(c) : '?';
  }
  return text;
}

/// What is wrong with the value, of the right length; empty when nothing is.
std::string fault_of_value(Item item, std::span<const std::byte> value, DlepRouterMessage& message) {
  switch (item) {
    case Item::kStatus:
      message.status = DlepStatusCode{std::to_integer<std::uint8_t>(value[0])};
      message.status_text = shown_text(value.subspan(1));
      return {};
    case Item::kPeerType:
      message.peer_type = shown_text(value.subspan(1));
      return {};
    case Item::kHeartbeatInterval:
      message.heartbeat = std::chrono::milliseconds(load_be<std::uint32_t>(value, 0));
      return message.heartbeat.count() == 0 ? "the heartbeat interval is 0" : "";
    case Item::kMacAddress:
      message.mac.size = static_cast<std::uint8_t>(value.size());
      std::ranges::copy(value, message.mac.bytes.begin());
      return {};
    case Item::kIpv4Subnet:
      return std::to_integer<unsigned>(value[5]) > 32 ? "the prefix of an IPv4 subnet is longer than 32" : "";
    case Item::kIpv6Subnet:
      return std::to_integer<unsigned>(value[17]) > 128 ? "the prefix of an IPv6 subnet is longer than 128" : "";
    default:
      return {};
  }
}

/// What is wrong with the items of a message; empty when nothing is.
std::string read_items(std::span<const std::byte> items, std::span<const ItemRule> rules, DlepRouterMessage& message) {
  std::array<unsigned, std::size_t{20} + 1> counts{};
  while (!items.empty()) {
    if (items.size() < kDlepHeaderBytes) {
      return "the message ends within the header of a data item";
    }
    const auto type = load_be<std::uint16_t>(items, 0);
    const auto bytes = load_be<std::uint16_t>(items, 2);
    items = items.subspan(kDlepHeaderBytes);
    if (bytes > items.size()) {
      return fmt::format("data item {} is longer than its message", type);
    }
    const auto rule = std::ranges::find(rules, Item{type}, &ItemRule::item);
    if (rule == rules.end()) {
      return fmt::format("data item {} does not belong into this message", type);
    }
    if (++counts[type] > rule->most) {
      return fmt::format("data item {} is there more than once", type);
    }
    if (!has_length(Item{type}, bytes)) {
      return fmt::format("data item {} has {} bytes", type, bytes);
    }
    if (std::string fault = fault_of_value(Item{type}, items.first(bytes), message); !fault.empty()) {
      return fault;
    }
    items = items.subspan(bytes);
  }
  for (const ItemRule& rule : rules) {
    if (counts[static_cast<std::size_t>(rule.item)] < rule.least) {
      return fmt::format("data item {} is missing", static_cast<unsigned>(rule.item));
    }
  }
  return {};
}

}  // namespace

std::string dlep_status_name(DlepStatusCode code) {
  using enum DlepStatusCode;
  switch (code) {
    case kSuccess:
      return "Success";
    case kNotInterested:
      return "Not Interested";
    case kRequestDenied:
      return "Request Denied";
    case kInconsistentData:
      return "Inconsistent Data";
    case kUnknownMessage:
      return "Unknown Message";
    case kUnexpectedMessage:
      return "Unexpected Message";
    case kInvalidData:
      return "Invalid Data";
    case kInvalidDestination:
      return "Invalid Destination";
    case kTimedOut:
      return "Timed Out";
    case kShuttingDown:
      return "Shutting Down";
  }
  return fmt::format("status {}", static_cast<unsigned>(code));
}

DlepMac DlepMac::of(MacAddress mac) {
  DlepMac item{.size = 6};
  mac.to_wire(item.bytes.data());
  return item;
}

std::optional<MacAddress> DlepMac::eui48() const {
  return size == 6 ? std::optional(MacAddress::from_wire(bytes.data())) : std::nullopt;
}

std::optional<std::size_t> dlep_message_bytes(std::span<const std::byte> stream) {
  return stream.size() < kDlepHeaderBytes ? std::nullopt
                                          : std::optional(kDlepHeaderBytes + load_be<std::uint16_t>(stream, 2));
}

std::variant<DlepRouterMessage, DlepFault> read_dlep_message(std::span<const std::byte> message) {
  assert(dlep_message_bytes(message) == message.size());
  const auto type = load_be<std::uint16_t>(message, 0);
  if (type == 0 || type > kLastType) {
    return DlepFault{DlepStatusCode::kUnknownMessage, fmt::format("message type {}", type)};
  }
  DlepRouterMessage read{.type = DlepMessageType{type}};
  const auto rules = items_of_router(read.type);
  if (!rules) {
    return DlepFault{DlepStatusCode::kUnexpectedMessage, fmt::format("message type {} is a modem's", type)};
  }
  if (std::string fault = read_items(message.subspan(kDlepHeaderBytes), *rules, read); !fault.empty()) {
    return DlepFault{DlepStatusCode::kInvalidData, fmt::format("message type {}: {}", type, fault)};
  }
  return read;
}

bool is_dlep_discovery(std::span<const std::byte> datagram) {
  constexpr std::size_t kHeader = kSignature.size() + kDlepHeaderBytes;
  if (datagram.size() < kHeader || std::memcmp(datagram.data(), kSignature.data(), kSignature.size()) != 0) {
    return false;
  }
  DlepRouterMessage ignored;
  return load_be<std::uint16_t>(datagram, 4) == kPeerDiscovery &&
         load_be<std::uint16_t>(datagram, 6) == datagram.size() - kHeader &&
         read_items(datagram.subspan(kHeader), kDiscoveryItems, ignored).empty();
}

template <class Number>
void DlepWriter::number(Number value) {
  std::array<std::byte, sizeof value> bytes{};
  store_be(std::span<std::byte>(bytes), 0, value);
  bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

DlepWriter::DlepWriter(DlepMessageType type) {
  number(static_cast<std::uint16_t>(type));
  number(std::uint16_t{0});
}

DlepWriter DlepWriter::offer() {
  DlepWriter writer;
  writer.bytes_ = kSignature;
  writer.number(kPeerOffer);
  writer.length_at_ = writer.bytes_.size();
  writer.number(std::uint16_t{0});
  return writer;
}

void DlepWriter::item(std::uint16_t type, std::size_t bytes) {
  number(type);
  number(static_cast<std::uint16_t>(bytes));
}

template <class Number>
void DlepWriter::number_item(std::uint16_t type, Number value) {
  item(type, sizeof value);
  number(value);
}

DlepWriter& DlepWriter::status(DlepStatusCode code, std::string_view text) {
  item(static_cast<std::uint16_t>(Item::kStatus), 1 + text.size());
  number(static_cast<std::uint8_t>(code));
  bytes_ += text;
  return *this;
}

DlepWriter& DlepWriter::connection_point(const IpAddress& address, std::uint16_t port) {
  const bool v4 = address.is_v4();
  item(static_cast<std::uint16_t>(v4 ? Item::kIpv4ConnectionPoint : Item::kIpv6ConnectionPoint), v4 ? 7 : 19);
  number(std::uint8_t{0});  // no TLS
  ip(address);
  number(port);
  return *this;
}

DlepWriter& DlepWriter::peer_type(std::string_view text) {
  item(static_cast<std::uint16_t>(Item::kPeerType), 1 + text.size());
  number(std::uint8_t{0});  // the medium is not secured
  bytes_ += text;
  return *this;
}

DlepWriter& DlepWriter::heartbeat(Nanoseconds interval) {
  number_item(static_cast<std::uint16_t>(Item::kHeartbeatInterval),
              static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(interval).count()));
  return *this;
}

DlepWriter& DlepWriter::mac(const DlepMac& mac) {
  item(static_cast<std::uint16_t>(Item::kMacAddress), mac.size);
  bytes_.append(reinterpret_cast<const char*>(mac.bytes.data()), mac.size);
  return *this;
}

DlepWriter& DlepWriter::address(const IpAddress& address) {
  const bool v4 = address.is_v4();
  item(static_cast<std::uint16_t>(v4 ? Item::kIpv4Address : Item::kIpv6Address), v4 ? 5 : 17);
  number(std::uint8_t{1});  // added
  ip(address);
  return *this;
}

void DlepWriter::ip(const IpAddress& address) {
  if (address.is_v4()) {
    return number(address.v4());
  }
  const std::array words{address.high(), address.low()};  // in memory order
  bytes_.append(reinterpret_cast<const char*>(words.data()), sizeof words);
}

DlepWriter& DlepWriter::metrics(const DlepMetrics& metrics) {
  number_item(static_cast<std::uint16_t>(Item::kMaxReceive), metrics.max_receive_bps);
  number_item(static_cast<std::uint16_t>(Item::kMaxTransmit), metrics.max_transmit_bps);
  number_item(static_cast<std::uint16_t>(Item::kReceive), metrics.receive_bps);
  number_item(static_cast<std::uint16_t>(Item::kTransmit), metrics.transmit_bps);
  number_item(static_cast<std::uint16_t>(Item::kLatency), metrics.latency_us);
  number_item(static_cast<std::uint16_t>(Item::kReceiveQuality), metrics.receive_quality);
  number_item(static_cast<std::uint16_t>(Item::kTransmitQuality), metrics.transmit_quality);
  if (metrics.mtu) {
    number_item(static_cast<std::uint16_t>(Item::kMtu), *metrics.mtu);
  }
  return *this;
}

std::string DlepWriter::bytes() && {
  const auto length = static_cast<std::uint16_t>(bytes_.size() - length_at_ - 2);
  store_be(std::as_writable_bytes(std::span(bytes_)), length_at_, length);
  return std::move(bytes_);
}

}  // namespace hilgate
