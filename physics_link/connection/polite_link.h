// SPDX-License-Identifier: Apache-2.0
// Hello and goodbye over a StepLink, the same for physics and network simulators.
#pragma once

#include <string>
#include <string_view>

#include "physics_link/connection/step_link.h"
#include "physics_link/connection/wire_manners.h"

namespace hilgate {

/// For StepLink::Handlers::opened: says hello and waits for the peer's, or is ready at once.
template <class Ready>
void greet(StepLink& link, WireManners& manners, Ready ready) {
  std::string body;
  if (manners.greeting(body)) {
    link.send(body);
  } else {
    link.ready();
    ready();
  }
}

/// For StepLink::Handlers::control.
template <class Ready>
bool take_courtesy(StepLink& link, WireManners& manners, std::string_view body, Ready ready) {
  MaybeFault fault;
  std::string why;
  switch (manners.courtesy(body, fault, why)) {
    case WireManners::Courtesy::kNone:
      return false;
    case WireManners::Courtesy::kHello:
      if (fault) {
        link.report().fault(*fault);
        link.dismiss(link.name() + ": " + fault->detail);
      } else if (!link.is_ready()) {
        link.ready();
        ready();
      }
      return true;
    case WireManners::Courtesy::kGoodbye:
      why = link.name() + ": the peer ends the run" + (why.empty() ? why : ": " + why);
      link.report().tell(LinkEventKind::kClosed, why);
      link.dismiss(why);
      return true;
  }
  return false;
}

inline void say_goodbye(StepLink& link, WireManners& manners) {
  std::string body;
  if (manners.goodbye(body)) {
    link.send(body);
  }
  link.close();
}

}  // namespace hilgate
