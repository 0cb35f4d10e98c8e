// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "netsim_link/connection/network_codec.h"
#include "netsim_link/native/native_network.h"
#include "physics_link/native/native_physics_codec.h"

namespace hilgate {

/// The network side of the native protocol. The simulator's end learns the number of robots from the hello.
class NativeNetworkCodec final : public NetworkCodec {
 public:
  explicit NativeNetworkCodec(NativeOptions options) : options_(std::move(options)) {}

  bool hello(std::string& body) override {
    native::encode(options_.hello, body);
    return true;
  }
  ControlMessage control_message(std::string_view body, MaybeFault& fault, std::string& why) override {
    return NativeSession::control_message(body, options_, theirs_, fault, why);
  }
  bool goodbye(std::string& body) override { return NativeSession::goodbye(body); }

  void encode_begin(const NetworkQuestion& question, std::string& body) override;
  MaybeFault decode_end(std::string_view body, NetworkAnswer& answer) override;
  MaybeFault decode_begin(std::string_view body, ReceivedNetworkQuestion& question) override;
  void encode_end(const NetworkAnswer& answer, std::string& body) override;

 private:
  void apply_links(NetworkAnswer& answer);

  NativeOptions options_;
  native::Hello theirs_;
  Step step_;
  native::NetworkEnd end_;
  std::vector<LinkState> links_;  // gateway's end: all states, of which an END tells the changes
};

}  // namespace hilgate
