// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "physics_link/connection/protocol_fault.h"

namespace hilgate {

/// Messages of a protocol other than questions and answers. Protocols without a hello and a goodbye keep these.
class SessionProtocol {
 public:
  enum class ControlMessage : std::uint8_t { kNone, kHello, kGoodbye };

  virtual ~SessionProtocol() = default;
  SessionProtocol() = default;
  SessionProtocol(const SessionProtocol&) = delete;
  SessionProtocol& operator=(const SessionProtocol&) = delete;

  /// True when both ends say hello before anything else; then `body` is ours.
  virtual bool hello(std::string& /*body*/) { return false; }
  /// Kind of a frame. For kHello, `fault` is why the peer is refused; for kGoodbye, `why` is the reason given.
  virtual ControlMessage control_message(std::string_view /*body*/, MaybeFault& /*fault*/, std::string& /*why*/) {
    return ControlMessage::kNone;
  }
  /// True when the gateway announces the end of the run; then `body` does.
  virtual bool goodbye(std::string& /*body*/) { return false; }
};

}  // namespace hilgate
