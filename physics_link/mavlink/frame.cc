// SPDX-License-Identifier: Apache-2.0
#include "physics_link/mavlink/frame.h"

#include <cassert>

#include "frame/checksum.h"

namespace hilgate::mavlink {
namespace {

constexpr std::size_t kHeader1 = 6;
constexpr std::size_t kHeader2 = 10;
constexpr std::size_t kCrc = 2;
constexpr std::size_t kSignature = 13;
constexpr std::uint8_t kSignedFlag = 0x01;

std::uint8_t number(std::byte byte) {
  return std::to_integer<std::uint8_t>(byte);
}

std::uint16_t load_le16(const std::byte* bytes) {
  return static_cast<std::uint16_t>(number(bytes[0]) | (number(bytes[1]) << 8));
}

// Fills in what both versions have in common, once the header is read.
std::optional<Frame> finish(Frame frame, std::span<const std::byte> bytes, std::size_t header) {
  const std::size_t length = number(bytes[1]);
  frame.size = header + length + kCrc + (frame.is_signed ? kSignature : 0);
  if (bytes.size() < frame.size) {
    return std::nullopt;
  }
  frame.payload = bytes.subspan(header, length);
  frame.checked = bytes.subspan(1, header - 1 + length);
  frame.crc = load_le16(bytes.data() + header + length);
  return frame;
}

std::optional<Frame> read_1(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeader1) {
    return std::nullopt;
  }
  return finish({.version = Version::k1,
                 .sequence = number(bytes[2]),
                 .system = number(bytes[3]),
                 .component = number(bytes[4]),
                 .message = number(bytes[5])},
                bytes, kHeader1);
}

std::optional<Frame> read_2(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeader2 || (number(bytes[2]) & ~kSignedFlag) != 0) {
    return std::nullopt;
  }
  return finish(
      {.version = Version::k2,
       .is_signed = number(bytes[2]) == kSignedFlag,
       .sequence = number(bytes[4]),
       .system = number(bytes[5]),
       .component = number(bytes[6]),
       .message = number(bytes[7]) | (std::uint32_t{number(bytes[8])} << 8) | (std::uint32_t{number(bytes[9])} << 16)},
      bytes, kHeader2);
}

void put(std::string& bytes, std::uint32_t value) {
  bytes.push_back(static_cast<char>(value & 0xFF));
}

}  // namespace

std::optional<Frame> first_frame(std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    return std::nullopt;
  }
  return bytes[0] == kStart1 ? read_1(bytes) : bytes[0] == kStart2 ? read_2(bytes) : std::nullopt;
}

std::uint16_t checksum_of(std::span<const std::byte> bytes, std::uint8_t crc_extra) {
  const std::byte extra{crc_extra};
  return MavlinkCrc().add(bytes).add({&extra, 1}).value();
}

std::string write_frame(const Speaker& speaker, std::uint32_t message, std::uint8_t crc_extra,
                        std::span<const std::byte> payload) {
  assert(!payload.empty() && payload.size() <= 255 && (speaker.version == Version::k2 || message <= 255));
  std::string bytes;
  if (speaker.version == Version::k2) {
    while (payload.size() > 1 && payload.back() == std::byte{0}) {
      payload = payload.first(payload.size() - 1);
    }
  }
  put(bytes, number(speaker.version == Version::k2 ? kStart2 : kStart1));
  put(bytes, static_cast<std::uint32_t>(payload.size()));
  if (speaker.version == Version::k2) {
    put(bytes, 0);  // incompatibility flags
    put(bytes, 0);  // compatibility flags
  }
  put(bytes, speaker.sequence);
  put(bytes, speaker.system);
  put(bytes, speaker.component);
  put(bytes, message);
  if (speaker.version == Version::k2) {
    put(bytes, message >> 8);
    put(bytes, message >> 16);
  }
  bytes.append(reinterpret_cast<const char*>(payload.data()), payload.size());
  const auto checked = std::as_bytes(std::span(bytes)).subspan(1);
  const std::uint16_t crc = checksum_of(checked, crc_extra);
  put(bytes, crc);
  put(bytes, static_cast<std::uint32_t>(crc >> 8));
  return bytes;
}

}  // namespace hilgate::mavlink
