// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "physics_link/connection/protocol_fault.h"
#include "physics_link/connection/session_protocol.h"

namespace hilgate {

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
