// SPDX-License-Identifier: Apache-2.0
#include "physics_link/dancers/dancers_physics_codec.h"

namespace hilgate {

void DancersPhysicsCodec::encode_begin(const PhysicsQuestion& question, std::string& body) {
  step_ = question.step;
  update_ = {.kind = dancers::Kind::kBegin, .of_network = true, .time_ns = dancers::low_time(step_.from)};
  const PeerPayload* const from_network = question.from_network;
  if (from_network != nullptr && from_network->form == PeerPayload::Form::kDancers) {
    update_.payload = from_network->bytes;
  }
  write(body);
}

MaybeFault DancersPhysicsCodec::decode_end(std::string_view body, PhysicsAnswer& answer) {
  answer.has_scene = false;
  answer.payload = {.form = PeerPayload::Form::kDancers};
  if (MaybeFault fault = dancers::read_end(body, gzip_, update_)) {
    return fault;
  }
  if (update_.payload.empty()) {
    return std::nullopt;
  }
  if (MaybeFault fault = unpack_poses(scene_)) {
    return fault;
  }
  scene_.at = step_.end();
  MaybeFault fault = dancers::place(agents_, scene_);
  answer.scene = scene_;
  answer.has_scene = true;
  answer.payload.bytes = update_.payload;
  return fault;
}

MaybeFault DancersPhysicsCodec::decode_begin(std::string_view body, ReceivedPhysicsQuestion& question) {
  if (MaybeFault fault = dancers::read_begin(body, gzip_, update_)) {
    return fault;
  }
  question.from_network = {.form = PeerPayload::Form::kDancers, .bytes = update_.payload};
  question.step = next_step();
  return std::nullopt;
}

void DancersPhysicsCodec::encode_end(const PhysicsAnswer& answer, std::string& body) {
  update_ = {.kind = dancers::Kind::kEnd, .time_ns = dancers::low_time(end_)};
  if (answer.has_scene) {
    pack_poses(answer.scene);
  }
  write(body);
}

}  // namespace hilgate
