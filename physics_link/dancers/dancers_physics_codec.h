// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "physics_link/connection/physics_codec.h"
#include "physics_link/dancers/dancers_protocol.h"

namespace hilgate {

/// DANCERS' physics link: END carries a PoseVector, BEGIN the network side's payload.
class DancersPhysicsCodec final : public DancersSession<PhysicsCodec> {
 public:
  using DancersSession<PhysicsCodec>::DancersSession;

  void encode_begin(const PhysicsQuestion& question, std::string& body) override;
  MaybeFault decode_end(std::string_view body, PhysicsAnswer& answer) override;
  MaybeFault decode_begin(std::string_view body, ReceivedPhysicsQuestion& question) override;
  void encode_end(const PhysicsAnswer& answer, std::string& body) override;

 private:
  Step step_;
  Scene scene_;  // the robots that a PoseVector leaves out stay where they were
};

}  // namespace hilgate
