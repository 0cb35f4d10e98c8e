// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "physics_link/connection/physics_codec.h"
#include "physics_link/native/native_protocol.h"

namespace hilgate {

/// The physics side of the native protocol.
class NativePhysicsCodec final : public NativeSession<PhysicsCodec> {
 public:
  using NativeSession<PhysicsCodec>::NativeSession;

  void encode_begin(const PhysicsQuestion& question, std::string& body) override;
  MaybeFault decode_end(std::string_view body, PhysicsAnswer& answer) override;
  MaybeFault decode_begin(std::string_view body, ReceivedPhysicsQuestion& question) override;
  void encode_end(const PhysicsAnswer& answer, std::string& body) override;
};

}  // namespace hilgate
