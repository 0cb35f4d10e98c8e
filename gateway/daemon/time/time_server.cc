// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/time/time_server.h"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <cmath>
#include <stdexcept>

#include "gateway/daemon/log/journal.h"

namespace hilgate {
namespace {

bool has_ipv4_address(const std::string& interface) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) {
    return true;  // whoever cannot say lets the sockets speak
  }
  bool found = false;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    found = found || (one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET && interface == one->ifa_name);
  }
  freeifaddrs(all);
  return found;
}

std::unique_ptr<PtpTransport> open(const ServeConfig& config, const PortConfig& port) {
  // Linux drops what comes to such a group from 0.0.0.0.
  if (config.transport == PtpTransportKind::kUdp4 && !has_ipv4_address(port.interface)) {
    throw std::runtime_error(fmt::format(
        "clock.serve: port '{0}': {1} has no IPv4 address, and slaves ignore PTP over UDP/IPv4 without one; give "
        "it one (`ip address add 10.0.0.254/24 dev {1}`) or serve with `transport: l2`",
        port.name, port.interface));
  }
  try {
    return open_ptp_transport(config.transport, port.interface);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("clock.serve: port '{}': {}", port.name, error.what()));
  }
}

}  // namespace

TimeServer::TimeServer(asio::io_context& context, const Configuration& configuration, const RunClock& clock)
    : clock_(clock) {
  for (const ServeConfig& config : configuration.clock.serve) {
    const PortConfig& where = configuration.ports[config.port.value()];
    ports_.push_back(std::make_unique<Port>(
        Port{.config = config, .name = where.name, .log = ClockEventLog{fmt::format("port {}: PTP", where.name)}}));
    Port& port = *ports_.back();
    port.grandmaster =
        std::make_unique<GrandmasterPort>(context, open(config, where), config.master, served(config), port.events);
    const LogScope about({.port = port.name});
    spdlog::info("port {}: serves {} time over PTP: {}", port.name,
                 config.time == ServeConfig::Time::kSim ? "sim" : "wall", port.grandmaster->transport().describe());
  }
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
    if (port->config.time == ServeConfig::Time::kWall && properties && properties->ptp_timescale) {
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
