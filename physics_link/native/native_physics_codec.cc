// SPDX-License-Identifier: Apache-2.0
#include "physics_link/native/native_physics_codec.h"

#include <fmt/format.h>

namespace hilgate {

SessionProtocol::ControlMessage NativeSession::control_message(std::string_view body, const NativeOptions& options,
                                                               native::Hello& theirs, MaybeFault& fault,
                                                               std::string& why) {
  switch (native::kind_of(body)) {
    case native::Kind::kHello:
      fault = native::decode(body, theirs);
      if (!fault) {
        fault = native::check_hello(theirs, options.peer);
      }
      return SessionProtocol::ControlMessage::kHello;
    case native::Kind::kClose:
      if (const MaybeFault garbled = native::decode_close(body, why)) {
        why = garbled->detail;
      }
      return SessionProtocol::ControlMessage::kGoodbye;
    default:
      return SessionProtocol::ControlMessage::kNone;
  }
}

bool NativeSession::goodbye(std::string& body) {
  native::encode_close("the run has ended", body);
  return true;
}

void NativePhysicsCodec::encode_begin(const PhysicsQuestion& question, std::string& body) {
  step_ = question.step;
  native::encode(native::PhysicsBegin{.window = step_.number, .start = step_.from, .length = step_.length}, body);
}

MaybeFault NativePhysicsCodec::decode_end(std::string_view body, PhysicsAnswer& answer) {
  answer.payload.bytes.clear();
  native::PhysicsEnd end;
  MaybeFault fault = native::decode(body, options_.hello.robots.size(), end, answer.scene);
  answer.has_scene = end.has_scene && (!fault || is_soft(fault->error));
  if ((!fault || is_soft(fault->error)) && end.window != step_.number) {
    return ProtocolFault{ProtocolError::kUnexpected,
                         fmt::format("END for window {}; expected window {}", end.window, step_.number)};
  }
  return fault;
}

MaybeFault NativePhysicsCodec::decode_begin(std::string_view body, ReceivedPhysicsQuestion& question) {
  question.from_network.bytes.clear();
  native::PhysicsBegin begin;
  MaybeFault fault = native::decode(body, begin);
  question.step = {.window = begin.window, .number = begin.window, .from = begin.start, .length = begin.length};
  step_ = question.step;
  return fault;
}

void NativePhysicsCodec::encode_end(const PhysicsAnswer& answer, std::string& body) {
  native::encode_physics_end(step_.number, answer.has_scene ? &answer.scene : nullptr, body);
}

}  // namespace hilgate
