// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "physics_link/connection/protocol_fault.h"

namespace hilgate {

/// What a protocol says beside questions and answers. Protocols that begin and end without a word keep these.
class SessionProtocol {
 public:
  enum class ControlMessage : std::uint8_t { kNone, kHello, kGoodbye };

  virtual ~SessionProtocol() = default;
  SessionProtocol() = default;
  SessionProtocol(const SessionProtocol&) = delete;
  SessionProtocol& operator=(const SessionProtocol&) = delete;

  /// True when both ends say hello before anything else; then `body` is ours.
  virtual bool hello(std::string& /*body*/) { return false; }
  /// What a frame is. For kHello, `fault` says why we cannot talk; for kGoodbye, `why` is the reason given.
  virtual ControlMessage control_message(std::string_view /*body*/, MaybeFault& /*fault*/, std::string& /*why*/) {
    return ControlMessage::kNone;
  }
  /// True when the gateway announces the end of the run; then `body` does.
  virtual bool goodbye(std::string& /*body*/) { return false; }
};

}  // namespace hilgate
