// SPDX-License-Identifier: Apache-2.0
// MCAP, a container of messages with times (https://mcap.dev/spec): records of an opcode, a length and a content, all
// numbers little-endian. Messages are in chunks, each of which is read whole or is dropped.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace hilgate {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are in memory");

inline constexpr std::string_view kMcapMagic{"\x89MCAP0\r\n", 8};
inline constexpr std::size_t kMcapHead = 9;  // of a record: opcode and length

enum class McapRecord : std::uint8_t {
  kHeader = 1,
  kFooter = 2,
  kSchema = 3,
  kChannel = 4,
  kMessage = 5,
  kChunk = 6,
  kMessageIndex = 7,
  kChunkIndex = 8,
  kStatistics = 11,
  kDataEnd = 15,
};

/// A stream of messages of one kind, and the description of their contents.
struct McapChannel {
  std::string topic{};            // "/links"
  std::string encoding{};         // of messages: "json", or one of our own
  std::string schema{};           // its name
  std::string schema_encoding{};  // "jsonschema", or of our own
  std::string schema_text{};
};

template <class Number>
void append_number(std::string& bytes, Number number) {
  std::array<char, sizeof number> copy{};
  std::memcpy(copy.data(), &number, sizeof number);
  bytes.append(copy.data(), copy.size());
}

/// Length in 32 bits, then the bytes.
inline void append_text(std::string& bytes, std::string_view text) {
  append_number(bytes, static_cast<std::uint32_t>(text.size()));
  bytes.append(text);
}

inline void append_record(std::string& bytes, McapRecord record, std::string_view content) {
  append_number(bytes, record);
  append_number(bytes, std::uint64_t{content.size()});
  bytes.append(content);
}

}  // namespace hilgate
