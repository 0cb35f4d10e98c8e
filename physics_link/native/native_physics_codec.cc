// SPDX-License-Identifier: Apache-2.0
#include "physics_link/native/native_physics_codec.h"

namespace hilgate {

void NativePhysicsCodec::encode_begin(const PhysicsQuestion& question, std::string& body) {
  step_ = question.step;
  native::encode(native::PhysicsBegin{.window = step_.number, .start = step_.from, .length = step_.length}, body);
}

MaybeFault NativePhysicsCodec::decode_end(std::string_view body, PhysicsAnswer& answer) {
  answer.payload.bytes.clear();
  native::PhysicsEnd end;
  MaybeFault fault = native::decode(body, options_.hello.robots.size(), end, answer.scene);
  answer.has_scene = end.has_scene && (!fault || is_soft(fault->error));
  if (!fault || is_soft(fault->error)) {
    if (MaybeFault other = native::check_window(end.window, step_)) {
      return other;
    }
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
