// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "physics_link/connection/gzip.h"
#include "physics_link/connection/physics_codec.h"
#include "physics_link/dancers/dancers_messages.h"

namespace hilgate {

struct DancersOptions {
  std::size_t robots = 0;
  dancers::Version version = dancers::Version::kV1;
  int gzip_level = 1;
  Nanoseconds step{0};  // simulator's end only: connectors count their steps, for no time is on the wire
};

/// DANCERS says CLOSE at the end; only v1.0 does.
class DancersSession {
 public:
  static SessionProtocol::ControlMessage control_message(std::string_view body, Gzip& gzip);
  static bool goodbye(dancers::Version version, Gzip& gzip, std::string& body);
};

/// DANCERS' physics link: END carries a PoseVector, BEGIN what the network side said.
class DancersPhysicsCodec final : public PhysicsCodec {
 public:
  explicit DancersPhysicsCodec(const DancersOptions& options) : options_(options), gzip_(options.gzip_level) {}

  ControlMessage control_message(std::string_view body, MaybeFault&, std::string&) override {
    return DancersSession::control_message(body, gzip_);
  }
  bool goodbye(std::string& body) override { return DancersSession::goodbye(options_.version, gzip_, body); }

  void encode_begin(const PhysicsQuestion& question, std::string& body) override;
  MaybeFault decode_end(std::string_view body, PhysicsAnswer& answer) override;
  MaybeFault decode_begin(std::string_view body, ReceivedPhysicsQuestion& question) override;
  void encode_end(const PhysicsAnswer& answer, std::string& body) override;

 private:
  DancersOptions options_;
  Gzip gzip_;
  Step step_;
  std::uint64_t begins_ = 0;
  SimTime end_{};  // of the step at hand
  dancers::Update update_;
  std::vector<dancers::AgentPose> agents_;
  Scene scene_;  // the robots that a PoseVector leaves out stay where they were
  std::string plain_;
};

}  // namespace hilgate
