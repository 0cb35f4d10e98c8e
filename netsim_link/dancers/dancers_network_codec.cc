// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/dancers/dancers_network_codec.h"

namespace hilgate {

void DancersNetworkCodec::encode_begin(const NetworkQuestion& question, std::string& body) {
  update_ = {.kind = dancers::Kind::kBegin, .time_ns = dancers::low_time(question.step.from)};
  if (question.fresh && question.payload != nullptr && question.payload->form == PeerPayload::Form::kDancers) {
    update_.payload = question.payload->bytes;
  } else if (question.fresh && question.scene != nullptr) {
    pack_poses(*question.scene);
  }
  write(body);
}

MaybeFault DancersNetworkCodec::decode_end(std::string_view body, NetworkAnswer& answer) {
  answer.verdicts.clear();
  answer.forget.clear();
  answer.has_links = false;
  answer.payload = {.form = PeerPayload::Form::kDancers};
  if (MaybeFault fault = dancers::read_end(body, gzip_, update_)) {
    return fault;
  }
  answer.payload.bytes = update_.payload;
  return std::nullopt;
}

MaybeFault DancersNetworkCodec::decode_begin(std::string_view body, ReceivedNetworkQuestion& question) {
  if (MaybeFault fault = dancers::read_begin(body, gzip_, update_)) {
    return fault;
  }
  question.step = next_step();
  question.fresh = !update_.payload.empty();
  if (!question.fresh) {
    return std::nullopt;
  }
  question.payload = {.form = PeerPayload::Form::kDancers, .bytes = update_.payload};
  if (MaybeFault fault = unpack_poses(question.scene)) {
    return fault;
  }
  question.has_scene = true;
  return dancers::place(agents_, question.scene);
}

void DancersNetworkCodec::encode_end(const NetworkAnswer& answer, std::string& body) {
  update_ = {.kind = dancers::Kind::kEnd, .of_network = true, .time_ns = dancers::low_time(end_)};
  if (answer.payload.form == PeerPayload::Form::kDancers) {
    update_.payload = answer.payload.bytes;
  }
  write(body);
}

}  // namespace hilgate
