// SPDX-License-Identifier: Apache-2.0
#include "physics_link/dancers/dancers_physics_codec.h"

#include <fmt/format.h>

namespace hilgate {
namespace {

// CLOSE, DancersUpdate type 2, is 2 bytes before packing: anything longer is no goodbye and need not be unpacked.
constexpr std::size_t kLongestClose = 64;

}  // namespace

SessionProtocol::ControlMessage DancersSession::control_message(std::string_view body, Gzip& gzip) {
  dancers::Update update;
  if (body.empty() || body.size() > kLongestClose || dancers::decode(body, gzip, update) ||
      update.kind != dancers::Kind::kClose) {
    return SessionProtocol::ControlMessage::kNone;
  }
  return SessionProtocol::ControlMessage::kGoodbye;
}

bool DancersSession::goodbye(dancers::Version version, Gzip& gzip, std::string& body) {
  body.clear();
  if (version != dancers::Version::kV1) {
    return false;
  }
  dancers::encode({.kind = dancers::Kind::kClose}, version, gzip, body);
  return true;
}

void DancersPhysicsCodec::encode_begin(const PhysicsQuestion& question, std::string& body) {
  step_ = question.step;
  update_ = {.kind = dancers::Kind::kBegin, .of_network = true, .time_ns = dancers::low_time(step_.from)};
  const PeerPayload* const from_network = question.from_network;
  if (from_network != nullptr && from_network->form == PeerPayload::Form::kDancers) {
    update_.payload = from_network->bytes;
  }
  body.clear();
  dancers::encode(update_, options_.version, gzip_, body);
}

MaybeFault DancersPhysicsCodec::decode_end(std::string_view body, PhysicsAnswer& answer) {
  answer.has_scene = false;
  answer.payload = {.form = PeerPayload::Form::kDancers};
  if (MaybeFault fault = dancers::decode(body, gzip_, update_)) {
    return fault;
  }
  if (update_.kind != dancers::Kind::kEnd) {
    return ProtocolFault{ProtocolError::kUnexpected, "received BEGIN from a connector, which may send END only"};
  }
  if (update_.payload.empty()) {
    return std::nullopt;
  }
  if (MaybeFault fault = gzip_.unpack(update_.payload, plain_)) {
    return fault;
  }
  if (MaybeFault fault = dancers::decode_poses(plain_, agents_)) {
    return fault;
  }
  scene_.robots.resize(options_.robots);
  scene_.sights.resize(pair_count(options_.robots));
  scene_.at = step_.end();
  MaybeFault fault = dancers::place(agents_, scene_);
  answer.scene = scene_;
  answer.has_scene = true;
  answer.payload.bytes = update_.payload;
  return fault;
}

MaybeFault DancersPhysicsCodec::decode_begin(std::string_view body, ReceivedPhysicsQuestion& question) {
  if (MaybeFault fault = dancers::decode(body, gzip_, update_)) {
    return fault;
  }
  if (update_.kind != dancers::Kind::kBegin) {
    return ProtocolFault{ProtocolError::kUnexpected,
                         "received END from a coordinator, which may send BEGIN and CLOSE only"};
  }
  question.from_network = {.form = PeerPayload::Form::kDancers, .bytes = update_.payload};
  question.step = {.window = begins_,
                   .number = begins_,
                   .from = SimTime{options_.step * static_cast<std::int64_t>(begins_)},
                   .length = options_.step};
  ++begins_;
  end_ = question.step.end();
  return std::nullopt;
}

void DancersPhysicsCodec::encode_end(const PhysicsAnswer& answer, std::string& body) {
  update_ = {.kind = dancers::Kind::kEnd, .time_ns = dancers::low_time(end_)};
  if (answer.has_scene) {
    agents_.clear();
    for (std::uint32_t i = 0; i < answer.scene.robots.size(); ++i) {
      agents_.push_back({.agent = i, .pose = answer.scene.robots[i]});
    }
    dancers::encode_poses(agents_, plain_);
    gzip_.pack(plain_, update_.payload);
  }
  body.clear();
  dancers::encode(update_, options_.version, gzip_, body);
}

}  // namespace hilgate
