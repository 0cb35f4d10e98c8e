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

/// One protocol between the gateway and a simulator, for either end of the connection. `body` is a frame's body,
/// replaced by encoders; it may be empty only where the protocol has such frames. `ReceivedType` is a question that
/// owns what it holds; its asked() is the question.
template <class SimulatorType, class ReceivedType>
class SimulatorCodec : public SessionProtocol {
 public:
  using Simulator = SimulatorType;
  using Received = ReceivedType;
  using Question = typename Simulator::Question;
  using Answer = typename Simulator::Answer;

  // The gateway's end.
  virtual void encode_begin(const Question& question, std::string& body) = 0;
  /// The answer to the step encoded last. Sets all of `answer`, reusing its storage.
  [[nodiscard]] virtual MaybeFault decode_end(std::string_view body, Answer& answer) = 0;

  // The simulator's end.
  /// `question` is the one before.
  [[nodiscard]] virtual MaybeFault decode_begin(std::string_view body, Received& question) = 0;
  /// The answer to the step decoded last.
  virtual void encode_end(const Answer& answer, std::string& body) = 0;
  /// What was wrong with the questions all in all, for people; empty: nothing.
  [[nodiscard]] virtual std::string shortcoming() const { return {}; }
};

}  // namespace hilgate
