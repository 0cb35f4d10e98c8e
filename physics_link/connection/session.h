// SPDX-License-Identifier: Apache-2.0
// Hello and goodbye over a StepConnection, the same for physics and network simulators.
#pragma once

#include <string>
#include <string_view>

#include "physics_link/connection/session_protocol.h"
#include "physics_link/connection/step_connection.h"

namespace hilgate {

/// For StepConnection::Handlers::opened: sends a hello and waits for the peer's, or is ready at once.
template <class Ready>
void open_session(StepConnection& link, SessionProtocol& session, Ready ready) {
  std::string body;
  if (session.hello(body)) {
    link.send(body);
  } else {
    link.ready();
    ready();
  }
}

/// For StepConnection::Handlers::control.
template <class Ready>
bool take_control_message(StepConnection& link, SessionProtocol& session, std::string_view body, Ready ready) {
  MaybeFault fault;
  std::string why;
  switch (session.control_message(body, fault, why)) {
    case SessionProtocol::ControlMessage::kNone:
      return false;
    case SessionProtocol::ControlMessage::kHello:
      if (fault) {
        link.report().fault(*fault);
        link.dismiss(link.name() + ": " + fault->detail);
      } else if (!link.is_ready()) {
        link.ready();
        ready();
      }
      return true;
    case SessionProtocol::ControlMessage::kGoodbye:
      why = link.name() + ": the peer ended the run" + (why.empty() ? why : ": " + why);
      link.report().tell(LinkEventKind::kClosed, why);
      link.dismiss(why);
      return true;
  }
  return false;
}

inline void close_session(StepConnection& link, SessionProtocol& session) {
  std::string body;
  if (session.goodbye(body)) {
    link.send(body);
  }
  link.close();
}

}  // namespace hilgate
