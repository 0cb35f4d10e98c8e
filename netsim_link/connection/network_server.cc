// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/connection/network_server.h"

namespace hilgate {

NetworkServer::NetworkServer(asio::io_context& io, LinkOptions options, std::unique_ptr<NetworkCodec> codec,
                             NetworkSimulator& simulator, Mischief mischief, ConnectionReporter reporter,
                             std::function<void(const std::string&)> over)
    : codec_(std::move(codec)),
      simulator_(simulator),
      server_(io, std::move(options), *codec_, mischief, std::move(reporter),
              {.begin = [this](std::string_view body) { return begin(body); }, .over = over}) {
  simulator_.open({.ready = [] {},
                   .ended =
                       [this](NetworkAnswer& answer) {
                         codec_->encode_end(answer, body_);
                         server_.answer(body_);
                       },
                   .failed = std::move(over)});
}

MaybeFault NetworkServer::begin(std::string_view body) {
  MaybeFault fault = codec_->decode_begin(body, question_);
  if (!fault || is_soft(fault->error)) {
    simulator_.begin({.step = question_.step,
                      .packets = question_.packets,
                      .scene = question_.has_scene ? &question_.scene : nullptr,
                      .payload = question_.payload.bytes.empty() ? nullptr : &question_.payload,
                      .fresh = question_.fresh});
  }
  return fault;
}

}  // namespace hilgate
