// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "netsim_link/network_codec.h"
#include "physics_link/dancers/dancers_protocol.h"

namespace hilgate {

/// DANCERS' network link. No packets cross it: BEGIN carries a PoseVector, END what the
/// network side's applications say to the physics side.
class DancersNetworkCodec final : public DancersSession<NetworkCodec> {
 public:
  using DancersSession<NetworkCodec>::DancersSession;

  void encode_begin(const NetworkQuestion& question, std::string& body) override;
  MaybeFault decode_end(std::string_view body, NetworkAnswer& answer) override;
  MaybeFault decode_begin(std::string_view body, ReceivedNetworkQuestion& question) override;
  void encode_end(const NetworkAnswer& answer, std::string& body) override;
};

}  // namespace hilgate
