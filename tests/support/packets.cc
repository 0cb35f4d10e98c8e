// SPDX-License-Identifier: Apache-2.0
#include "tests/support/packets.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

namespace hilgate::test {
namespace {

constexpr std::byte operator""_b(unsigned long long value) {
  return std::byte{static_cast<std::uint8_t>(value)};
}

void append(Bytes& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void append16(Bytes& to, std::uint16_t value) {
  to.push_back(std::byte{static_cast<std::uint8_t>(value >> 8)});
  to.push_back(std::byte{static_cast<std::uint8_t>(value)});
}

void append_mac(Bytes& to, MacAddress mac) {
  for (int shift = 40; shift >= 0; shift -= 8) {
    to.push_back(std::byte{static_cast<std::uint8_t>(mac.value() >> shift)});
  }
}

bool is_v6(const std::string& address) {
  return address.find(':') != std::string::npos;
}

Bytes address_bytes(const std::string& text) {
  Bytes bytes(is_v6(text) ? 16 : 4);
  inet_pton(is_v6(text) ? AF_INET6 : AF_INET, text.c_str(), bytes.data());
  return bytes;
}

std::size_t checksum_offset(std::uint8_t protocol) {
  switch (protocol) {
    case 6:
      return 16;
    case 17:
    case 136:
      return 6;
    case 1:
    case 58:
      return 2;
    default:
      return SIZE_MAX;
  }
}

// RFC 768, RFC 9293, RFC 8200 8.1, RFC 3828; ICMP for IPv4 has no pseudo header (RFC 792).
std::uint16_t transport_sum(const Layer3& layer, std::uint8_t protocol, const Bytes& transport) {
  std::size_t covered = transport.size();
  if (protocol == 136 && get16(transport, 4) != 0) {
    covered = std::min<std::size_t>(covered, get16(transport, 4));
  }
  Bytes pseudo;
  if (protocol != 1) {
    append(pseudo, address_bytes(layer.source));
    append(pseudo, address_bytes(layer.destination));
    append16(pseudo, protocol);
    append16(pseudo, static_cast<std::uint16_t>(transport.size()));
  }
  return ones_sum(std::span(transport).first(covered), ones_sum(pseudo));
}

Bytes ipv4_header(const Layer3& layer, std::uint8_t protocol, std::size_t transport_bytes) {
  Bytes header(20);
  append(header, layer.options);
  header.resize((header.size() + 3) / 4 * 4);
  header[0] = std::byte{static_cast<std::uint8_t>(0x40 | (header.size() / 4))};
  put16(header, 2, static_cast<std::uint16_t>(header.size() + transport_bytes));
  put16(header, 4, 0x1234);
  put16(header, 6, layer.fragment);
  header[8] = 64_b;
  header[9] = std::byte{protocol};
  std::ranges::copy(address_bytes(layer.source), header.begin() + 12);
  std::ranges::copy(address_bytes(layer.destination), header.begin() + 16);
  put16(header, 10, static_cast<std::uint16_t>(~ones_sum(header)));
  return header;
}

Bytes ipv6_header(const Layer3& layer, std::uint8_t protocol, std::size_t transport_bytes) {
  Bytes header(40);
  header[0] = 0x60_b;
  const std::size_t extension = layer.fragment != 0 ? 8 : 0;
  put16(header, 4, static_cast<std::uint16_t>(transport_bytes + extension));
  header[6] = layer.fragment != 0 ? 44_b : std::byte{protocol};
  header[7] = 64_b;
  std::ranges::copy(address_bytes(layer.source), header.begin() + 8);
  std::ranges::copy(address_bytes(layer.destination), header.begin() + 24);
  if (layer.fragment != 0) {
    header.push_back(std::byte{protocol});
    header.push_back(0_b);
    append16(header, layer.fragment);
    append(header, Bytes(4, 7_b));
  }
  return header;
}

}  // namespace

IpAddress ipv4_of(unsigned number) {
  return IpAddress::parse(fmt::format("10.77.{}.{}", number / 256, number % 256)).value();
}

IpAddress ipv6_of(unsigned number) {
  return IpAddress::parse(fmt::format("fd77::{:x}", number)).value();
}

Bytes payload(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(size);
  for (std::byte& byte : bytes) {
    byte = std::byte{static_cast<std::uint8_t>(random())};
  }
  return bytes;
}

Bytes counting(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = std::byte{static_cast<std::uint8_t>(i)};
  }
  return bytes;
}

Bytes ethernet(const Layer2& layer, std::uint16_t type, const Bytes& content) {
  Bytes frame;
  append_mac(frame, layer.destination);
  append_mac(frame, layer.source);
  for (const VlanTag& tag : layer.tags) {
    append16(frame, tag.type);
    append16(frame, tag.control);
  }
  append16(frame, type);
  append(frame, content);
  if (frame.size() < layer.pad_to) {
    frame.resize(layer.pad_to);
  }
  return frame;
}

Bytes arp_request(const Layer2& layer, unsigned sender, unsigned target) {
  Bytes arp;
  append16(arp, 1);
  append16(arp, 0x0800);
  append16(arp, 0x0604);
  append16(arp, 1);
  append_mac(arp, mac_of(sender));
  append(arp, address_bytes(ipv4_of(sender).text()));
  append_mac(arp, MacAddress{});
  append(arp, address_bytes(ipv4_of(target).text()));
  return ethernet(layer, 0x0806, arp);
}

Bytes ip(const Layer3& layer, std::uint8_t protocol, Bytes transport) {
  const std::size_t field = checksum_offset(protocol);
  if (layer.transport_checksum && field != SIZE_MAX && transport.size() >= field + 2) {
    auto checksum = static_cast<std::uint16_t>(~transport_sum(layer, protocol, transport));
    if (checksum == 0 && (protocol == 17 || protocol == 136)) {
      checksum = 0xFFFF;
    }
    put16(transport, field, checksum);
  }
  Bytes packet = is_v6(layer.source) ? ipv6_header(layer, protocol, transport.size())
                                     : ipv4_header(layer, protocol, transport.size());
  append(packet, transport);
  return packet;
}

Bytes ip_frame(const Layer2& layer2, const Layer3& layer3, std::uint8_t protocol, const Bytes& transport) {
  return ethernet(layer2, is_v6(layer3.source) ? 0x86DD : 0x0800, ip(layer3, protocol, transport));
}

Bytes ipv4(std::uint8_t protocol, const Bytes& content, const Bytes& options, std::uint16_t fragment) {
  return ip({.fragment = fragment, .options = options, .transport_checksum = false}, protocol, content);
}

Bytes ipv6(std::uint8_t next, const Bytes& content) {
  return ip({.source = "fd77::1", .destination = "fd77::2", .transport_checksum = false}, next, content);
}

Bytes ipv6_extension(std::uint8_t next, std::uint8_t units, const Bytes& content) {
  Bytes header(std::size_t{8} * (units + 1U));
  header[0] = std::byte{next};
  header[1] = std::byte{units};
  append(header, content);
  return header;
}

Bytes addressed_to(const Bytes& destination, Bytes packet) {
  std::ranges::copy(destination, packet.begin() + (destination.size() == 4 ? 16 : 24));
  return packet;
}

Bytes udp(const Bytes& data, std::uint16_t destination, std::uint16_t source) {
  Bytes header;
  append16(header, source);
  append16(header, destination);
  append16(header, static_cast<std::uint16_t>(8 + data.size()));
  append16(header, 0);
  append(header, data);
  return header;
}

Bytes udp_lite(const Bytes& data, std::uint16_t coverage) {
  Bytes header = udp(data);
  put16(header, 4, coverage);
  return header;
}

Bytes tcp(const Bytes& data, std::size_t option_bytes, std::uint16_t destination) {
  Bytes header(20 + option_bytes, 1_b);  // option 1: no operation
  put16(header, 0, 5000);
  put16(header, 2, destination);
  put16(header, 12, static_cast<std::uint16_t>((header.size() / 4) << 12 | 0x10));  // ACK
  put16(header, 14, 1000);
  put16(header, 16, 0);
  put16(header, 18, 0);
  append(header, data);
  return header;
}

Bytes icmp(const Bytes& data, std::uint8_t type) {
  Bytes header(8);
  header[0] = std::byte{type};
  put16(header, 4, 77);
  put16(header, 6, 1);
  append(header, data);
  return header;
}

Bytes udp_frame(unsigned from, unsigned to, std::size_t data_bytes, std::uint64_t seed) {
  return ip_frame({.destination = mac_of(to), .source = mac_of(from), .tags = {}},
                  {.source = ipv4_of(from).text(), .destination = ipv4_of(to).text()}, 17,
                  udp(payload(data_bytes, seed)));
}

std::uint16_t ones_sum(std::span<const std::byte> bytes, std::uint32_t start) {
  std::uint64_t sum = start;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto value = std::to_integer<std::uint64_t>(bytes[i]);
    sum += i % 2 == 0 ? value << 8 : value;
  }
  while (sum >> 16 != 0) {
    sum = (sum & 0xFFFF) + (sum >> 16);
  }
  return static_cast<std::uint16_t>(sum);
}

bool transport_checksum_right(const Bytes& frame, std::size_t ethernet_bytes) {
  const bool v6 = (std::to_integer<unsigned>(frame[ethernet_bytes]) >> 4) == 6;
  const std::size_t start = ethernet_bytes;
  const std::size_t header = v6 ? 40 : 4 * (std::to_integer<std::size_t>(frame[start]) & 0xF);
  const std::size_t length = v6 ? get16(frame, start + 4) : get16(frame, start + 2) - header;
  const auto protocol = std::to_integer<std::uint8_t>(frame[start + (v6 ? 6 : 9)]);
  const std::size_t addresses = start + (v6 ? 8 : 12);
  std::uint32_t pseudo = 0;
  if (protocol != 1) {
    pseudo = ones_sum(std::span(frame).subspan(addresses, v6 ? 32 : 8));
    pseudo += protocol + static_cast<std::uint32_t>(length);
  }
  return ones_sum(std::span(frame).subspan(start + header, length), pseudo) == 0xFFFF;
}

void put16(Bytes& bytes, std::size_t at, std::uint16_t value) {
  bytes[at] = std::byte{static_cast<std::uint8_t>(value >> 8)};
  bytes[at + 1] = std::byte{static_cast<std::uint8_t>(value)};
}

std::uint16_t get16(const Bytes& bytes, std::size_t at) {
  return static_cast<std::uint16_t>((std::to_integer<unsigned>(bytes[at]) << 8) |
                                    std::to_integer<unsigned>(bytes[at + 1]));
}

}  // namespace hilgate::test
