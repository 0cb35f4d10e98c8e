// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "netsim_link/connection/network_codec.h"
#include "physics_link/dancers/dancers_physics_codec.h"

namespace hilgate {

/// DANCERS' network link. No packets cross it: BEGIN carries a PoseVector, END what the
/// network side's applications say to the physics side.
class DancersNetworkCodec final : public NetworkCodec {
 public:
  explicit DancersNetworkCodec(const DancersOptions& options) : options_(options), gzip_(options.gzip_level) {}

  ControlMessage control_message(std::string_view body, MaybeFault&, std::string&) override {
    return DancersSession::control_message(body, gzip_);
  }
  bool goodbye(std::string& body) override { return DancersSession::goodbye(options_.version, gzip_, body); }

  void encode_begin(const NetworkQuestion& question, std::string& body) override;
  MaybeFault decode_end(std::string_view body, NetworkAnswer& answer) override;
  MaybeFault decode_begin(std::string_view body, ReceivedNetworkQuestion& question) override;
  void encode_end(const NetworkAnswer& answer, std::string& body) override;

 private:
  DancersOptions options_;
  Gzip gzip_;
  std::uint64_t begins_ = 0;
  SimTime end_{};  // of the step at hand
  dancers::Update update_;
  std::vector<dancers::AgentPose> agents_;
  std::string plain_;
};

}  // namespace hilgate
