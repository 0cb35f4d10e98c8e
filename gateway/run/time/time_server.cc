// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/time/time_server.h"

#include <fmt/format.h>
#include <net/if.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "host/interface_addresses.h"
#include "host/log/log.h"

namespace hilgate {
std::string serve_fault(const ServeConfig& serve, const std::string& port, const std::string& interface) {
  // Linux drops what comes to such a group from 0.0.0.0.
  if (serve.transport != PtpTransportKind::kUdp4 || std::ranges::any_of(interface_addresses(interface), is_ipv4)) {
    return {};
  }
  return fmt::format(
      "port '{0}': {1} has no IPv4 address, and slaves ignore PTP over UDP/IPv4 without one; give it one (`ip address "
      "add 10.0.0.254/24 dev {1}`) or serve with `transport: l2`",
      port, interface);
}

namespace {

constexpr const char* kAbsent = "there is no such interface";

// For interfaces that come, go, or get an address.
constexpr std::chrono::seconds kLookAgain{1};

std::unique_ptr<PtpTransport> open(const ServeConfig& config, const TimeServer::Port& port) {
  if (const std::string fault = serve_fault(config, port.name, port.interface); !fault.empty()) {
    throw std::runtime_error("clock.serve: " + fault);
  }
  try {
    return open_ptp_transport(config.transport, port.interface);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("clock.serve: port '{}': {}", port.name, error.what()));
  }
}

}  // namespace

TimeServer::TimeServer(asio::io_context& context, const Configuration& configuration, const RunClock& clock)
    : context_(context), clock_(clock), timer_(context) {
  for (const ServeConfig& config : configuration.clock.serve) {
    const PortConfig& where = configuration.ports[config.port.value()];
    Port& port = *ports_.emplace_back(
        std::make_unique<Port>(Port{.config = config,
                                    .name = where.name,
                                    .interface = where.interface,
                                    .log = ClockEventLog{fmt::format("port {}: PTP", where.name)}}));
    if (::if_nametoindex(port.interface.c_str()) != 0) {
      serve(port);
    } else {
      follow(port);
    }
  }
  if (!ports_.empty()) {
    look_again();
  }
}

void TimeServer::serve(Port& port) {
  const unsigned index = ::if_nametoindex(port.interface.c_str());
  port.grandmaster = std::make_unique<GrandmasterPort>(context_, open(port.config, port), port.config.master,
                                                       served(port.config), port.events);
  port.index = index;
  port.problem.clear();
  const LogScope about({.port = port.name});
  spdlog::info("port {}: serves {} time over PTP: {}", port.name,
               port.config.time == ServeConfig::Time::kSim ? "sim" : "wall", port.grandmaster->transport().describe());
}

// Sockets of an interface that went are of no use for the next one of its name.
void TimeServer::follow(Port& port) {
  const unsigned index = ::if_nametoindex(port.interface.c_str());
  if (port.grandmaster != nullptr && index == port.index) {
    return;
  }
  port.grandmaster.reset();
  port.index = 0;
  std::string problem = kAbsent;
  if (index != 0) {
    try {
      return serve(port);
    } catch (const std::runtime_error& error) {
      problem = error.what();
    }
  }
  if (problem != port.problem) {
    port.problem = problem;
    const LogScope about({.port = port.name});
    spdlog::warn("port {}: serves no time over PTP until it can: {}", port.name, problem);
  }
}

void TimeServer::look_again() {
  timer_.expires_after(kLookAgain);
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      for (const auto& port : ports_) {
        follow(*port);
      }
      look_again();
    }
  });
}

Grandmaster::ServedTime TimeServer::served(const ServeConfig& config) const {
  if (config.time == ServeConfig::Time::kSim) {
    return [this, epoch = config.epoch](HostTime host) {
      return PtpTime{epoch + clock_.timeline().sim_at(host).time_since_epoch()};
    };
  }
  return [this](HostTime host) { return PtpTime{clock_.clock().windows().plan().wall(host).time_since_epoch()}; };
}

void TimeServer::refresh() {
  const auto& properties = clock_.clock().last_reading().properties;
  for (const auto& port : ports_) {
    if (port->grandmaster != nullptr && port->config.time == ServeConfig::Time::kWall && properties &&
        properties->ptp_timescale) {
      const std::uint16_t valid = properties->utc_offset_valid ? kPtpUtcOffsetValid : 0;
      port->grandmaster->master().use_time_scale(kPtpTimescale | valid, properties->utc_offset_s);
    }
    port->log.tell(port->events);
  }
}

std::vector<std::string> TimeServer::warnings(const Port& port) const {
  return warnings_of(port.config, Dilation{static_cast<std::uint32_t>(std::lround(clock_.timeline().factor() * 1e6))});
}

}  // namespace hilgate
