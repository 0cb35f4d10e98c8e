// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/dancers/dancers_network_codec.h"

#include <fmt/format.h>

namespace hilgate {

void DancersNetworkCodec::encode_begin(const NetworkQuestion& question, std::string& body) {
  update_ = {.kind = dancers::Kind::kBegin, .time_ns = dancers::low_time(question.step.from)};
  if (question.fresh && question.payload != nullptr && question.payload->form == PeerPayload::Form::kDancers) {
    update_.payload = question.payload->bytes;
  } else if (question.fresh && question.scene != nullptr) {
    agents_.clear();
    for (std::uint32_t i = 0; i < question.scene->robots.size(); ++i) {
      agents_.push_back({.agent = i, .pose = question.scene->robots[i]});
    }
    dancers::encode_poses(agents_, plain_);
    gzip_.pack(plain_, update_.payload);
  }
  body.clear();
  dancers::encode(update_, options_.version, gzip_, body);
}

MaybeFault DancersNetworkCodec::decode_end(std::string_view body, NetworkAnswer& answer) {
  answer.verdicts.clear();
  answer.forget.clear();
  answer.has_links = false;
  answer.payload = {.form = PeerPayload::Form::kDancers};
  if (MaybeFault fault = dancers::decode(body, gzip_, update_)) {
    return fault;
  }
  if (update_.kind != dancers::Kind::kEnd) {
    return ProtocolFault{ProtocolError::kUnexpected, "received BEGIN from a connector, which may send END only"};
  }
  answer.payload.bytes = update_.payload;
  return std::nullopt;
}

MaybeFault DancersNetworkCodec::decode_begin(std::string_view body, ReceivedNetworkQuestion& question) {
  if (MaybeFault fault = dancers::decode(body, gzip_, update_)) {
    return fault;
  }
  if (update_.kind != dancers::Kind::kBegin) {
    return ProtocolFault{ProtocolError::kUnexpected,
                         "received END from a coordinator, which may send BEGIN and CLOSE only"};
  }
  question.step = {.window = begins_,
                   .number = begins_,
                   .from = SimTime{options_.step * static_cast<std::int64_t>(begins_)},
                   .length = options_.step};
  ++begins_;
  end_ = question.step.end();
  question.fresh = !update_.payload.empty();
  if (!question.fresh) {
    return std::nullopt;
  }
  question.payload = {.form = PeerPayload::Form::kDancers, .bytes = update_.payload};
  if (MaybeFault fault = gzip_.unpack(update_.payload, plain_)) {
    return fault;
  }
  if (MaybeFault fault = dancers::decode_poses(plain_, agents_)) {
    return fault;
  }
  question.scene.robots.resize(options_.robots);
  question.scene.sights.resize(pair_count(options_.robots));
  question.has_scene = true;
  return dancers::place(agents_, question.scene);
}

void DancersNetworkCodec::encode_end(const NetworkAnswer& answer, std::string& body) {
  update_ = {.kind = dancers::Kind::kEnd, .of_network = true, .time_ns = dancers::low_time(end_)};
  if (answer.payload.form == PeerPayload::Form::kDancers) {
    update_.payload = answer.payload.bytes;
  }
  body.clear();
  dancers::encode(update_, options_.version, gzip_, body);
}

}  // namespace hilgate
