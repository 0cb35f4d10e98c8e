// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "physics_link/connection/simulator_codec.h"
#include "physics_link/native/native_messages.h"
#include "physics_link/physics_simulator.h"

namespace hilgate {

struct NativeOptions {
  native::Hello hello{};                       // sent by this end
  native::Role peer = native::Role::kPhysics;  // what the other end must be
};

namespace native {

/// Decodes a control message: `theirs` is filled in by a hello, which must come from a `peer`.
SessionProtocol::ControlMessage read_control(std::string_view body, Role peer, Hello& theirs, MaybeFault& fault,
                                             std::string& why);
/// An END must be for the window of `step`.
MaybeFault check_window(std::uint64_t window, const Step& step);

}  // namespace native

/// Hello and close of the native protocol, for both links: `Codec` is PhysicsCodec or NetworkCodec.
template <class Codec>
class NativeSession : public Codec {
 public:
  explicit NativeSession(NativeOptions options) : options_(std::move(options)) {}

  bool hello(std::string& body) final {
    native::encode(options_.hello, body);
    return true;
  }
  SessionProtocol::ControlMessage control_message(std::string_view body, MaybeFault& fault, std::string& why) final {
    return native::read_control(body, options_.peer, theirs_, fault, why);
  }
  bool goodbye(std::string& body) final {
    native::encode_close("the run has ended", body);
    return true;
  }
  /// The other end's hello, once received.
  [[nodiscard]] const native::Hello& peer() const { return theirs_; }

 protected:
  NativeOptions options_;
  native::Hello theirs_;
  Step step_;
};

}  // namespace hilgate
