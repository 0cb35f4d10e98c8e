// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "physics_link/connection/session.h"
#include "physics_link/connection/step_connection.h"

namespace hilgate {

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
