// SPDX-License-Identifier: Apache-2.0
#include "physics_link/native/native_session.h"

#include <fmt/format.h>

namespace hilgate::native {

SessionProtocol::ControlMessage read_control(std::string_view body, Role peer, Hello& theirs, MaybeFault& fault,
                                             std::string& why) {
  switch (kind_of(body)) {
    case Kind::kHello:
      fault = decode(body, theirs);
      if (!fault) {
        fault = check_hello(theirs, peer);
      }
      return SessionProtocol::ControlMessage::kHello;
    case Kind::kClose:
      if (const MaybeFault garbled = decode_close(body, why)) {
        why = garbled->detail;
      }
      return SessionProtocol::ControlMessage::kGoodbye;
    default:
      return SessionProtocol::ControlMessage::kNone;
  }
}

MaybeFault check_window(std::uint64_t window, const Step& step) {
  if (window == step.number) {
    return std::nullopt;
  }
  return ProtocolFault{ProtocolError::kUnexpected,
                       fmt::format("END for window {}; expected window {}", window, step.number)};
}

}  // namespace hilgate::native
