// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "physics_link/connection/simulator_codec.h"
#include "physics_link/connection/step_connection.h"

namespace hilgate {

// Hello and goodbye over a StepConnection, the same for physics and network simulators.

/// For StepConnection::Handlers::opened: sends a hello and waits for the peer's, or is ready at once.
template <class Ready>
void open_session(StepConnection& link, SessionProtocol& session, Ready ready) {
  std::string body;
  if (session.hello(body)) {
    link.send(body);
  } else {
    link.ready();
    ready();
  }
}

/// For StepConnection::Handlers::control.
template <class Ready>
bool take_control_message(StepConnection& link, SessionProtocol& session, std::string_view body, Ready ready) {
  MaybeFault fault;
  std::string why;
  switch (session.control_message(body, fault, why)) {
    case SessionProtocol::ControlMessage::kNone:
      return false;
    case SessionProtocol::ControlMessage::kHello:
      if (fault) {
        link.report().fault(*fault);
        link.dismiss(link.name() + ": " + fault->detail);
      } else if (!link.is_ready()) {
        link.ready();
        ready();
      }
      return true;
    case SessionProtocol::ControlMessage::kGoodbye:
      why = link.name() + ": the peer ended the run" + (why.empty() ? why : ": " + why);
      link.report().tell(LinkEventKind::kClosed, why);
      link.dismiss(why);
      return true;
  }
  return false;
}

inline void close_session(StepConnection& link, SessionProtocol& session) {
  std::string body;
  if (session.goodbye(body)) {
    link.send(body);
  }
  link.close();
}

/// A simulator at the other end of a socket, in any protocol. `Codec` is a SimulatorCodec.
template <class Codec>
class RemoteSimulator final : public Codec::Simulator {
 public:
  using typename Codec::Simulator::Listener;

  RemoteSimulator(asio::io_context& io, StepLinkOptions options, std::unique_ptr<Codec> codec,
                  ConnectionReporter reporter)
      : codec_(std::move(codec)),
        link_(io, std::move(options), std::move(reporter),
              {.opened = [this] { open_session(link_, *codec_, [this] { listener_.ready(); }); },
               .control =
                   [this](std::string_view body) {
                     return take_control_message(link_, *codec_, body, [this] { listener_.ready(); });
                   },
               .answer = [this](std::string_view body) { return codec_->decode_end(body, answer_); },
               .ended =
                   [this](bool answered) {
                     if (!answered) {
                       answer_.clear();
                     }
                     listener_.ended(answer_);
                   },
               .failed = [this](const std::string& why) { listener_.failed(why); }}) {}

  void open(Listener listener) override {
    listener_ = std::move(listener);
    link_.open();
  }
  void begin(const typename Codec::Question& question) override {
    codec_->encode_begin(question, body_);
    link_.ask(body_);
  }
  [[nodiscard]] bool answering() const override { return link_.asking() && link_.is_ready(); }
  void close() override { close_session(link_, *codec_); }

  [[nodiscard]] const ConnectionCounters& counters() const { return link_.counters(); }
  /// For listening on TCP port 0.
  [[nodiscard]] std::uint16_t local_port() { return link_.link().local_port(); }

 private:
  std::unique_ptr<Codec> codec_;
  Listener listener_;
  typename Codec::Answer answer_;
  std::string body_;
  StepConnection link_;
};

}  // namespace hilgate
