// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>

#include <memory>
#include <string>
#include <vector>

#include "clock/ptp/grandmaster_port.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/time/run_clock.h"
#include "host/control_clock.h"

namespace hilgate {

/// What a port's interface, which is there, lacks for serving time over PTP, and what to do; empty when nothing.
std::string serve_fault(const ServeConfig& serve, const std::string& port, const std::string& interface);

/// The PTP grandmasters of a running gateway. Their messages bypass the packet path: the XDP program leaves PTP to the
/// kernel, and ordinary sockets on the ports' interfaces receive it. Control thread.
class TimeServer {
 public:
  struct Port {
    ServeConfig config;
    std::string name;       // of the gateway's port
    std::string interface;  // of that
    unsigned index = 0;     // of the interface as it is served; 0: not served
    std::string problem{};  // why not
    ClockEvents events{};
    ClockEventLog log;
    std::unique_ptr<GrandmasterPort> grandmaster{};  // null while it is not served
  };

  /// Opens the sockets of the interfaces that are there; others are served from when they appear. Throws
  /// std::runtime_error that names the port and what it lacks.
  TimeServer(asio::io_context& context, const Configuration& configuration, const RunClock& clock);

  /// To be called now and then: passes on the time scale that the reference reports, and logs events.
  void refresh();
  /// Of slaves that cannot follow at the pace as it is.
  [[nodiscard]] std::vector<std::string> warnings(const Port& port) const;
  [[nodiscard]] const std::vector<std::unique_ptr<Port>>& ports() const { return ports_; }

 private:
  void serve(Port& port);
  void follow(Port& port);
  void look_again();
  [[nodiscard]] Grandmaster::ServedTime served(const ServeConfig& config) const;

  asio::io_context& context_;
  const RunClock& clock_;
  ControlTimer timer_;
  std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace hilgate
