// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/wire_physics.h"

#include "physics_link/connection/polite_link.h"

namespace hilgate {

WirePhysics::WirePhysics(asio::io_context& io, StepLinkOptions options, std::unique_ptr<PhysicsCodec> codec,
                         ConnectionReporter reporter)
    : codec_(std::move(codec)),
      link_(io, std::move(options), std::move(reporter),
            {.opened = [this] { greet(link_, *codec_, [this] { listener_.ready(); }); },
             .control =
                 [this](std::string_view body) {
                   return take_courtesy(link_, *codec_, body, [this] { listener_.ready(); });
                 },
             .answer = [this](std::string_view body) { return codec_->decode_end(body, answer_); },
             .ended =
                 [this](bool answered) {
                   if (!answered) {
                     answer_.has_scene = false;
                     answer_.payload.bytes.clear();
                   }
                   listener_.ended(answer_);
                 },
             .failed = [this](const std::string& why) { listener_.failed(why); }}) {}

void WirePhysics::open(Listener listener) {
  listener_ = std::move(listener);
  link_.open();
}

void WirePhysics::begin(const Step& step, const ForeignPayload* from_network) {
  codec_->encode_begin(step, from_network, body_);
  link_.ask(body_);
}

void WirePhysics::close() {
  say_goodbye(link_, *codec_);
}

}  // namespace hilgate
