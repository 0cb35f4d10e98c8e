// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "netsim_link/connection/network_codec.h"
#include "netsim_link/native/native_network.h"
#include "physics_link/native/native_session.h"

namespace hilgate {

/// The network side of the native protocol. The simulator's end learns the number of robots from the hello.
class NativeNetworkCodec final : public NativeSession<NetworkCodec> {
 public:
  using NativeSession<NetworkCodec>::NativeSession;

  void encode_begin(const NetworkQuestion& question, std::string& body) override;
  MaybeFault decode_end(std::string_view body, NetworkAnswer& answer) override;
  MaybeFault decode_begin(std::string_view body, ReceivedNetworkQuestion& question) override;
  void encode_end(const NetworkAnswer& answer, std::string& body) override;

 private:
  void apply_links(NetworkAnswer& answer);

  native::NetworkEnd end_;
  std::vector<LinkState> links_;  // gateway's end: all states; an END carries the changes
};

}  // namespace hilgate
