// SPDX-License-Identifier: Apache-2.0
#include "physics_link/rosnetsim/rosnetsim_physics_codec.h"

#include <utility>

#include "physics_link/foreign_numbers.h"
#include "physics_link/rosnetsim/rosnetsim_physics.h"

namespace hilgate {

void RosNetSimPhysicsCodec::pack(std::string& body) {
  rosnetsim::encode(update_, plain_);
  body.clear();
  gzip_.pack(plain_, body);
}

void RosNetSimPhysicsCodec::encode_begin(const PhysicsQuestion& question, std::string& body) {
  step_ = question.step;
  update_.end = false;
  update_.window = static_cast<std::uint32_t>(step_.number);
  update_.channel_data.clear();
  pack(body);
}

MaybeFault RosNetSimPhysicsCodec::decode_end(std::string_view body, PhysicsAnswer& answer) {
  answer.has_scene = false;
  answer.payload = {.form = PeerPayload::Form::kRosNetSimChannels};
  if (MaybeFault fault = gzip_.unpack(body, plain_)) {
    return fault;
  }
  if (MaybeFault fault = rosnetsim::decode(plain_, update_)) {
    return fault;
  }
  const auto asked = static_cast<std::uint32_t>(step_.number);
  if (!update_.end) {
    return rosnetsim::no_end(update_.window, asked);
  }
  MaybeFault fault;
  if (options_.check_window && update_.window != asked && !std::exchange(told_window_, true)) {
    fault = rosnetsim::other_window(update_.window, asked);
  }
  if (update_.channel_data.empty()) {
    return fault;
  }
  if (MaybeFault bad = gzip_.unpack(update_.channel_data, plain_)) {
    return bad;
  }
  MaybeFault channels = rosnetsim::decode_channels(plain_, options_.robots, options_.sight, answer.scene);
  if (!channels || is_soft(channels->error)) {
    answer.scene.at = step_.end();
    answer.has_scene = true;
    answer.payload.bytes = update_.channel_data;
  }
  return channels ? channels : fault;
}

MaybeFault RosNetSimPhysicsCodec::decode_begin(std::string_view body, ReceivedPhysicsQuestion& question) {
  question.from_network.bytes.clear();
  if (MaybeFault fault = gzip_.unpack(body, plain_)) {
    return fault;
  }
  if (MaybeFault fault = rosnetsim::decode(plain_, update_)) {
    return fault;
  }
  if (update_.end) {
    return ProtocolFault{ProtocolError::kUnexpected, "received END from a coordinator, which may send BEGIN only"};
  }
  question.step = {.window = update_.window,
                   .number = update_.window,
                   .from = bounded_start(update_.window, options_.window),
                   .length = options_.window};
  step_ = question.step;
  return std::nullopt;
}

void RosNetSimPhysicsCodec::encode_end(const PhysicsAnswer& answer, std::string& body) {
  update_.end = true;
  update_.window = static_cast<std::uint32_t>(step_.number);
  update_.channel_data.clear();
  if (answer.has_scene) {
    rosnetsim::encode_channels(answer.scene, plain_);
    gzip_.pack(plain_, update_.channel_data);
  }
  pack(body);
}

}  // namespace hilgate
