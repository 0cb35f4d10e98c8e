// SPDX-License-Identifier: Apache-2.0
#include "tests/support/packets.h"

#include <algorithm>
#include <numeric>

namespace hilgate::test {
namespace {

void put16(Bytes& bytes, std::size_t value) {
  bytes.push_back(static_cast<std::uint8_t>(value >> 8));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

void put(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

// RFC 1071.
std::uint16_t internet_checksum(const Bytes& bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    sum += static_cast<std::uint32_t>(bytes[i] << 8 | bytes[i + 1]);
  }
  while (sum >> 16 != 0) {
    sum = (sum & 0xffff) + (sum >> 16);
  }
  return static_cast<std::uint16_t>(~sum);
}

}  // namespace

Bytes ethernet(const EthernetTo& header, std::uint16_t ethertype, const Bytes& body) {
  Bytes frame(header.destination.begin(), header.destination.end());
  frame.insert(frame.end(), header.source.begin(), header.source.end());
  for (const std::uint32_t tag : header.tags) {
    put16(frame, tag >> 16);
    put16(frame, tag & 0xffff);
  }
  put16(frame, ethertype);
  put(frame, body);
  return frame;
}

Bytes ipv4(std::uint8_t protocol, const Bytes& body, const Bytes& options, std::uint16_t fragment) {
  const std::size_t words = 5 + (options.size() + 3) / 4;
  Bytes packet = {static_cast<std::uint8_t>(0x40 | words), 0};
  put16(packet, words * 4 + body.size());
  put16(packet, 0);
  put16(packet, fragment);
  put(packet, {64, protocol, 0, 0, 10, 77, 0, 1, 10, 77, 0, 2});
  put(packet, options);
  packet.resize(words * 4);
  const std::uint16_t checksum = internet_checksum(packet);
  packet[10] = static_cast<std::uint8_t>(checksum >> 8);
  packet[11] = static_cast<std::uint8_t>(checksum);
  put(packet, body);
  return packet;
}

Bytes ipv6(std::uint8_t next, const Bytes& body) {
  Bytes packet = {0x60, 0, 0, 0};
  put16(packet, body.size());
  put(packet, {next, 255});
  for (const std::uint8_t host : {std::uint8_t{1}, std::uint8_t{2}}) {
    put(packet, {0xfd, 0x77, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host});
  }
  put(packet, body);
  return packet;
}

Bytes ipv6_extension(std::uint8_t next, std::uint8_t units, const Bytes& body) {
  Bytes header(std::size_t{8} * (units + 1U), 0);
  header[0] = next;
  header[1] = units;
  put(header, body);
  return header;
}

Bytes addressed_to(const Bytes& destination, Bytes packet) {
  const std::ptrdiff_t at = destination.size() == 4 ? 16 : 24;
  std::copy(destination.begin(), destination.end(), packet.begin() + at);
  return packet;
}

Bytes udp(std::uint16_t destination_port, const Bytes& payload) {
  Bytes datagram = {0x13, 0x88};  // from port 5000
  put16(datagram, destination_port);
  put16(datagram, 8 + payload.size());
  put16(datagram, 0);
  put(datagram, payload);
  return datagram;
}

Bytes tcp(std::uint16_t destination_port) {
  Bytes segment = {0x13, 0x88};
  put16(segment, destination_port);
  segment.resize(20);
  segment[12] = 5 << 4;  // header length in words
  return segment;
}

Bytes icmpv6(std::uint8_t type) {
  Bytes message(24, 0);
  message[0] = type;
  return message;
}

Bytes counting(std::size_t n) {
  Bytes bytes(n);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  return bytes;
}

}  // namespace hilgate::test
