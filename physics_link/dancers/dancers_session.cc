// SPDX-License-Identifier: Apache-2.0
#include "physics_link/dancers/dancers_session.h"

namespace hilgate::dancers {
namespace {

// CLOSE, DancersUpdate type 2, is 2 bytes before packing: anything longer is no goodbye and need not be unpacked.
constexpr std::size_t kLongestClose = 64;

}  // namespace

SessionProtocol::ControlMessage read_control(std::string_view body, Gzip& gzip) {
  Update update;
  if (body.empty() || body.size() > kLongestClose || decode(body, gzip, update) || update.kind != Kind::kClose) {
    return SessionProtocol::ControlMessage::kNone;
  }
  return SessionProtocol::ControlMessage::kGoodbye;
}

bool write_close(Version version, Gzip& gzip, std::string& body) {
  body.clear();
  if (version != Version::kV1) {
    return false;
  }
  encode({.kind = Kind::kClose}, version, gzip, body);
  return true;
}

MaybeFault read_begin(std::string_view body, Gzip& gzip, Update& update) {
  if (MaybeFault fault = decode(body, gzip, update)) {
    return fault;
  }
  if (update.kind != Kind::kBegin) {
    return ProtocolFault{ProtocolError::kUnexpected,
                         "received END from a coordinator, which may send BEGIN and CLOSE only"};
  }
  return std::nullopt;
}

MaybeFault read_end(std::string_view body, Gzip& gzip, Update& update) {
  if (MaybeFault fault = decode(body, gzip, update)) {
    return fault;
  }
  if (update.kind != Kind::kEnd) {
    return ProtocolFault{ProtocolError::kUnexpected, "received BEGIN from a connector, which may send END only"};
  }
  return std::nullopt;
}

}  // namespace hilgate::dancers
