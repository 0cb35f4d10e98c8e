// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/connection/wire_network.h"

#include "physics_link/connection/polite_link.h"

namespace hilgate {

WireNetwork::WireNetwork(asio::io_context& io, StepLinkOptions options, std::unique_ptr<NetworkCodec> codec,
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
                     answer_.verdicts.clear();
                     answer_.forget.clear();
                     answer_.has_links = false;
                     answer_.payload.bytes.clear();
                   }
                   listener_.ended(answer_);
                 },
             .failed = [this](const std::string& why) { listener_.failed(why); }}) {}

void WireNetwork::open(Listener listener) {
  listener_ = std::move(listener);
  link_.open();
}

void WireNetwork::begin(const NetworkQuestion& question) {
  codec_->encode_begin(question, body_);
  link_.ask(body_);
}

void WireNetwork::close() {
  say_goodbye(link_, *codec_);
}

}  // namespace hilgate
