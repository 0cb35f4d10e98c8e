// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "host/control_clock.h"
#include "physics_link/connection/frame_connection.h"
#include "physics_link/connection/simulator_codec.h"

namespace hilgate {

/// Deliberate faults of a simulator, for tests and for people who try their gateway. Counts are of BEGINs, from 0.
struct FaultInjection {
  std::optional<std::uint64_t> garbage_at;  // answers with bytes that mean nothing
  std::optional<std::uint64_t> twice_at;    // answers twice
  std::optional<std::uint64_t> mute_at;     // never answers this one
  std::optional<std::uint64_t> die_at;      // closes instead of answering
  Nanoseconds slow{0};                      // computes so long for every answer
};

/// The simulator's end of a wire: takes BEGIN frames, sends END frames. Client or server, as the protocol requires. A
/// gateway that goes ends the conversation; a listening server then waits for the next.
class SimulatorServer {
 public:
  struct Handlers {
    /// A BEGIN. A fault that is not soft closes the connection: a simulator must not guess what is meant.
    std::function<MaybeFault(std::string_view body)> begin;
    /// Nothing more will come: the coordinator sent a goodbye, disconnected, or never connected.
    std::function<void(const std::string& why)> over;
  };

  SimulatorServer(asio::io_context& io, LinkOptions options, SessionProtocol& session, FaultInjection fault_injection,
                  ConnectionReporter reporter, Handlers handlers);

  void open() { link_.open(); }
  void answer(std::string_view body);
  void close() { link_.close(); }
  [[nodiscard]] const ConnectionCounters& counters() const { return report_.counters(); }
  [[nodiscard]] std::uint16_t local_port() const { return link_.local_port(); }

 private:
  void take(std::string_view body);
  void answer_now(std::string_view body);
  void finish(const std::string& why);

  LinkOptions options_;
  SessionProtocol& session_;
  FaultInjection fault_injection_;
  ConnectionReport report_;
  Handlers handlers_;
  FrameConnection link_;
  ControlTimer slowness_;
  std::uint64_t begins_ = 0;
};

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
