// SPDX-License-Identifier: Apache-2.0
// What can be wrong with bytes that a peer sent, as a value: bad input is expected, not exceptional.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hilgate {

enum class ProtocolError : std::uint8_t {
  kFrameTooLong,   // the length field asks for more than the configured limit
  kBadGzip,        // not one whole gzip member
  kBomb,           // unpacks to more than the configured limit
  kBadMessage,     // not the protobuf (or text) this protocol sends
  kUnexpected,     // a good message at the wrong moment: no END, another window, another version
  kUnequalArrays,  // lists that belong together differ in length; the common prefix was used
  kBadValue,       // a number outside its range
};

constexpr std::string_view name(ProtocolError error) {
  switch (error) {
    case ProtocolError::kFrameTooLong:
      return "frame_too_long";
    case ProtocolError::kBadGzip:
      return "bad_gzip";
    case ProtocolError::kBomb:
      return "bomb";
    case ProtocolError::kBadMessage:
      return "bad_message";
    case ProtocolError::kUnexpected:
      return "unexpected";
    case ProtocolError::kUnequalArrays:
      return "unequal_arrays";
    case ProtocolError::kBadValue:
      return "bad_value";
  }
  return "unknown";
}

/// Whether a message with this fault is used all the same, except for its invalid parts.
constexpr bool is_soft(ProtocolError error) {
  return error == ProtocolError::kUnequalArrays || error == ProtocolError::kBadValue;
}

struct ProtocolFault {
  ProtocolError error = ProtocolError::kBadMessage;
  std::string detail{};  // which value, and what would be right
};

/// What a decoder returns: nothing when all was well.
using MaybeFault = std::optional<ProtocolFault>;

}  // namespace hilgate
