// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "physics_link/connection/simulator_server.h"

namespace hilgate {

/// Serves a simulator of this process over a connection, where a gateway or an external coordinator finds it. `Codec`
/// is a SimulatorCodec.
template <class Codec>
class ServedSimulator {
 public:
  using Simulator = typename Codec::Simulator;

  /// `over` as SimulatorServer's. `simulator` must outlive the server.
  ServedSimulator(asio::io_context& io, LinkOptions options, std::unique_ptr<Codec> codec, Simulator& simulator,
                  FaultInjection fault_injection, ConnectionReporter reporter,
                  std::function<void(const std::string&)> over)
      : codec_(std::move(codec)),
        simulator_(simulator),
        server_(io, std::move(options), *codec_, fault_injection, std::move(reporter),
                {.begin = [this](std::string_view body) { return begin(body); }, .over = over}) {
    simulator_.open({.ready = [] {},
                     .ended =
                         [this](typename Codec::Answer& answer) {
                           codec_->encode_end(answer, body_);
                           server_.answer(body_);
                         },
                     .failed = std::move(over)});
  }

  /// See FrameConnection::open(), which may throw.
  void open() { server_.open(); }
  [[nodiscard]] const SimulatorServer& server() const { return server_; }
  /// See SimulatorCodec.
  [[nodiscard]] std::string shortcoming() const { return codec_->shortcoming(); }

 private:
  MaybeFault begin(std::string_view body) {
    MaybeFault fault = codec_->decode_begin(body, question_);
    if (!fault || is_soft(fault->error)) {
      simulator_.begin(question_.asked());
    }
    return fault;
  }

  std::unique_ptr<Codec> codec_;
  Simulator& simulator_;
  typename Codec::Received question_;
  std::string body_;
  SimulatorServer server_;
};

}  // namespace hilgate
