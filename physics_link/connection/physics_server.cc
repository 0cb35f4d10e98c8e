// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/physics_server.h"

namespace hilgate {

PhysicsServer::PhysicsServer(asio::io_context& io, LinkOptions options, std::unique_ptr<PhysicsCodec> codec,
                             PhysicsSimulator& simulator, Mischief mischief, ConnectionReporter reporter,
                             std::function<void(const std::string&)> over)
    : codec_(std::move(codec)),
      simulator_(simulator),
      server_(io, std::move(options), *codec_, mischief, std::move(reporter),
              {.begin = [this](std::string_view body) { return begin(body); }, .over = over}) {
  simulator_.open({.ready = [] {},
                   .ended =
                       [this](PhysicsAnswer& answer) {
                         codec_->encode_end(answer, body_);
                         server_.answer(body_);
                       },
                   .failed = std::move(over)});
}

MaybeFault PhysicsServer::begin(std::string_view body) {
  MaybeFault fault = codec_->decode_begin(body, step_, from_network_);
  if (!fault || is_soft(fault->error)) {
    simulator_.begin(step_, from_network_.bytes.empty() ? nullptr : &from_network_);
  }
  return fault;
}

}  // namespace hilgate
