// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/simulator_server.h"

#include <fmt/format.h>

namespace hilgate {

SimulatorServer::SimulatorServer(asio::io_context& io, LinkOptions options, SessionProtocol& session,
                                 FaultInjection fault_injection, ConnectionReporter reporter, Handlers handlers)
    : options_(std::move(options)),
      session_(session),
      fault_injection_(fault_injection),
      report_(std::move(reporter), options_.name),
      handlers_(std::move(handlers)),
      link_(io, options_, report_,
            {.opened =
                 [this] {
                   std::string hello;
                   if (session_.hello(hello)) {
                     link_.send(hello);
                   }
                 },
             .frame = [this](std::string_view body) { take(body); },
             .lost = [this](bool, const std::string& why) { finish(why); }}),
      slowness_(io) {}

void SimulatorServer::take(std::string_view body) {
  MaybeFault fault;
  std::string why;
  switch (session_.control_message(body, fault, why)) {
    case SessionProtocol::ControlMessage::kHello:
      break;
    case SessionProtocol::ControlMessage::kGoodbye:
      report_.tell(LinkEventKind::kClosed, fmt::format("{}: the coordinator ended the run", options_.name));
      link_.close();
      finish(why);
      return;
    case SessionProtocol::ControlMessage::kNone:
      ++begins_;
      fault = handlers_.begin(body);
      break;
  }
  if (fault) {
    report_.fault(*fault);
  }
  if (fault && !is_soft(fault->error)) {
    link_.close();
    finish(fault->detail);
  }
}

void SimulatorServer::answer(std::string_view body) {
  if (fault_injection_.slow.count() == 0) {
    answer_now(body);
    return;
  }
  slowness_.expires_after(fault_injection_.slow);
  slowness_.async_wait([this, late = std::string(body)](std::error_code error) {
    if (!error) {
      answer_now(late);
    }
  });
}

void SimulatorServer::answer_now(std::string_view body) {
  const std::uint64_t number = begins_ - 1;
  if (fault_injection_.die_at == number) {
    link_.close();
    finish("closed by --die-at");
    return;
  }
  if (fault_injection_.mute_at == number) {
    return;
  }
  link_.send(fault_injection_.garbage_at == number ? std::string_view("garbage") : body);
  if (fault_injection_.twice_at == number) {
    link_.send(body);
  }
}

void SimulatorServer::finish(const std::string& why) {
  handlers_.over(why);
}

}  // namespace hilgate
