// SPDX-License-Identifier: Apache-2.0
// Blocks of a pcapng file (draft-ietf-opsawg-pcapng), appended to a string: those that a capture of the gateway has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hilgate {

/// UTC in nanoseconds since 1970, as the files have it.
struct CaptureTime {
  std::uint64_t nanoseconds = 0;
};

enum class PcapngBlock : std::uint32_t {
  kSection = 0x0A0D0D0A,
  kInterface = 1,
  kStatistics = 5,
  kPacket = 6,
};

/// The head of a block, at its start.
struct PcapngHead {
  std::uint32_t type = 0;
  std::uint32_t length = 0;  // of the whole block, a multiple of 4
};
inline constexpr std::size_t kPcapngHead = 8;
/// Requires kPcapngHead bytes of a block in this machine's byte order. Empty: no block begins so.
std::optional<PcapngHead> pcapng_head(std::span<const char> bytes);

/// A file begins with it. `comment` may be empty.
void append_section(std::string& out, std::string_view application, std::string_view hardware,
                    std::string_view comment);

struct PcapngInterface {
  std::string_view name;
  std::string_view description{};
  std::uint32_t snaplen = 0;  // 0: no limit
};
/// Ethernet, times in nanoseconds. Interfaces of a section count from 0 in their order.
void append_interface(std::string& out, const PcapngInterface& interface);

struct PcapngPacket {
  std::uint32_t interface = 0;
  CaptureTime at{};
  std::uint32_t length = 0;            // of the frame
  std::span<const std::byte> bytes{};  // its first
  bool outbound = false;               // leaves by its interface
  std::uint64_t dropped = 0;           // of this interface since the packet before
  std::optional<std::uint64_t> id{};   // the same for one frame on all interfaces
  std::string_view comment{};
};
void append_packet(std::string& out, const PcapngPacket& packet);

struct PcapngStatistics {
  std::uint32_t interface = 0;
  CaptureTime begin{}, end{};
  std::uint64_t received = 0;  // by the interface
  std::uint64_t accepted = 0;  // by the filter
  std::uint64_t dropped = 0;   // because no reader kept up
  std::uint64_t delivered = 0;
};
void append_statistics(std::string& out, const PcapngStatistics& statistics);
/// The value `dropped` of such a block, as append_statistics() makes it.
std::uint64_t statistics_dropped(std::string_view block);

}  // namespace hilgate
