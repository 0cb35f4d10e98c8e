// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "physics_link/connection/physics_codec.h"
#include "physics_link/native/native_messages.h"

namespace hilgate {

struct NativeOptions {
  native::Hello hello{};                       // what this end says of itself
  native::Role peer = native::Role::kPhysics;  // what the other end must be
};

/// Hello and close of the native protocol, for both links.
class NativeSession {
 public:
  static SessionProtocol::ControlMessage control_message(std::string_view body, const NativeOptions& options,
                                                         native::Hello& theirs, MaybeFault& fault, std::string& why);
  static bool goodbye(std::string& body);
};

/// The physics side of the native protocol.
class NativePhysicsCodec final : public PhysicsCodec {
 public:
  explicit NativePhysicsCodec(NativeOptions options) : options_(std::move(options)) {}

  bool hello(std::string& body) override {
    native::encode(options_.hello, body);
    return true;
  }
  ControlMessage control_message(std::string_view body, MaybeFault& fault, std::string& why) override {
    return NativeSession::control_message(body, options_, theirs_, fault, why);
  }
  bool goodbye(std::string& body) override { return NativeSession::goodbye(body); }

  void encode_begin(const PhysicsQuestion& question, std::string& body) override;
  MaybeFault decode_end(std::string_view body, PhysicsAnswer& answer) override;
  MaybeFault decode_begin(std::string_view body, ReceivedPhysicsQuestion& question) override;
  void encode_end(const PhysicsAnswer& answer, std::string& body) override;

  /// What the other end said of itself, once it has.
  [[nodiscard]] const native::Hello& peer() const { return theirs_; }

 private:
  NativeOptions options_;
  native::Hello theirs_;
  Step step_;
};

}  // namespace hilgate
