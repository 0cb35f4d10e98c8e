// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/serial_ports.h"

#include <fmt/format.h>

#include <utility>

#include "host/run_folder.h"

namespace hilgate {
namespace {

std::string mode_of(const SerialPortConfig& config) {
  return fmt::format("{} baud, {}{}", config.baud, config.framing == SerialFraming::kMavlink ? "mavlink" : "raw",
                     config.flow == SerialFlow::kRtsCts ? ", rtscts" : "");
}

Tty terminal_of(const PortConfig& config, const std::string& path) {
  return config.driver == PortDriver::kPty ? Tty::pseudo(path) : Tty(path, config.serial.baud, config.serial.flow);
}

}  // namespace

SerialPorts::SerialPorts(const Configuration& configuration, const PortPlan& plan, const TscClock& clock,
                         const std::function<Umem&(std::size_t)>& pool_of)
    : ends_(plan.slots), io_(waker_) {
  const std::filesystem::path folder = run_folder(configuration.name, RunSide::kGateway);
  for (const PlannedPort& planned : plan.ports) {
    const PortConfig& config = planned.config;
    if (!is_line(config.driver)) {
      continue;
    }
    const bool pseudo = config.driver == PortDriver::kPty;
    if (pseudo) {
      make_run_folder(folder);
    }
    auto& place = ends_[planned.slot.value()];
    place = std::make_unique<End>(waker_, config);
    End& end = *place;
    end.path = pseudo ? (folder / config.name).string() : config.serial.device;
    end.port = std::make_unique<SerialPort<Umem>>(end.exchange, pool_of(planned.core), clock);
    end.line = &io_.add(
        std::make_unique<SerialLine>(planned.slot, config.serial, terminal_of(config, end.path), end.exchange));
  }
  io_.start();
  for (const auto& end : ends_) {
    if (end != nullptr) {
      end->problem = end->line->problem();
    }
  }
}

void SerialPorts::add_changes(std::vector<PortChange>& news) {
  for (std::uint32_t i = 0; i < ends_.size(); ++i) {
    if (ends_[i] == nullptr) {
      continue;
    }
    std::string problem = ends_[i]->line->problem();
    if (problem != ends_[i]->problem) {
      const std::string before = std::exchange(ends_[i]->problem, std::move(problem));
      news.push_back({.now = report(PortSlot{i}), .plugged = ends_[i]->problem.empty(), .was_plugged = before.empty()});
    }
  }
}

PortReport SerialPorts::report(PortSlot slot) const {
  const End& end = *ends_[slot.value()];
  const SerialCounters& counters = end.line->counters();
  const bool pseudo = end.config.driver == PortDriver::kPty;
  const std::string problem = end.line->problem();
  return {.name = end.config.name,
          .interface = end.path,
          .state = problem.empty() ? "up"
                   : pseudo        ? "no carrier"
                                   : "absent",
          .problem = problem,
          .driver = pseudo ? "pty" : "serial",
          .mode = mode_of(end.config.serial),
          .arrival_times = "the packet loop",
          .release_times = "the packet loop",
          .timestamps = {.problem = "a terminal has no transmit timestamps"},
          .largest_frame = static_cast<std::uint32_t>(sizeof(SerialPacket::bytes)),
          .counts = {{"bytes_in", counters.in.get()},
                     {"bytes_to_radio", counters.to_radio.get()},
                     {"bytes_overflow", counters.overflow.get()},
                     {"bytes_waiting_in", counters.waiting_in.load(std::memory_order_relaxed)},
                     {"bytes_from_radio", counters.from_radio.get()},
                     {"bytes_out", counters.out.get()},
                     {"bytes_closed", counters.closed.get()},
                     {"bytes_waiting_out", counters.waiting_out.load(std::memory_order_relaxed)},
                     {"packets_to_radio", counters.packets_to_radio.get()},
                     {"packets_from_radio", counters.packets_from_radio.get()},
                     {"packets_no_memory", end.port->no_memory()},
                     {"reports", counters.reports.get()},
                     {"closings", counters.closings.get()},
                     {"buffer_free_percent", end.line->free_percent()}},
          .lost_at_capture = {{"no_memory", end.port->no_memory()}},
          .line = {.in = counters.in.get(),
                   .overflow = counters.overflow.get(),
                   .closed = counters.closed.get(),
                   .has_flow = end.config.serial.flow == SerialFlow::kRtsCts}};
}

}  // namespace hilgate
