// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/data_planes.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clock/tsc_clock.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/planes/af_xdp_ports.h"
#include "gateway/run/planes/path_plane.h"
#include "host/run_folder.h"
#include "path/data_plane.h"
#include "path/ports/port_plan.h"
#include "serial/serial_io.h"
#include "serial/serial_port.h"
#include "xdp/umem.h"

namespace hilgate {
namespace {

/// The serial lines of a run, with the thread that reads and writes them. Control thread, but for the ports themselves.
class SerialPorts {
 public:
  /// `pool_of(core)`: the memory of the frames. Throws std::runtime_error when a pseudo-terminal cannot be made; a
  /// device may come later.
  SerialPorts(const Configuration& configuration, const PortPlan& plan, const TscClock& clock,
              const std::function<Umem&(std::size_t)>& pool_of);

  SerialPort<Umem>& port(PortSlot slot) { return *ends_[slot.value()]->port; }
  [[nodiscard]] PortReport report(PortSlot slot) const;
  [[nodiscard]] std::uint8_t free_percent(PortSlot slot) const { return ends_[slot.value()]->line->free_percent(); }
  /// Adds those whose other end was opened or closed since the last call.
  void add_changes(std::vector<PortChange>& news);

 private:
  struct End {
    End(LoopWaker& waker, const PortConfig& port_config) : config(port_config), exchange(waker) {}
    PortConfig config;
    std::string path;  // for people: the link, or the device
    SerialExchange exchange;
    std::unique_ptr<SerialPort<Umem>> port;
    const SerialLine* line = nullptr;
    std::string problem;  // as last reported
  };

  LoopWaker waker_;
  std::vector<std::unique_ptr<End>> ends_;  // by PortSlot; null: another kind of port
  SerialIo io_;
};

std::string mode_of(const SerialPortConfig& config) {
  return fmt::format("{} baud, {}{}", config.baud, config.framing == SerialFraming::kMavlink ? "mavlink" : "raw",
                     config.flow == SerialFlow::kRtsCts ? ", rtscts" : "");
}

Tty terminal_of(const PortConfig& config, const std::string& path) {
  return config.driver == PortDriver::kPty ? Tty::pseudo(path) : Tty(path, config.serial.baud, config.serial.flow);
}

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
          .arrivals = {.problem = "a terminal has no receive timestamps"},
          .departures = {.problem = "a terminal has no transmit timestamps", .launch_problem = "a terminal has none"},
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

/// One of the two. Satisfies LaunchPort.
class EitherPort {
 public:
  explicit EitherPort(AfXdpPort& network) : network_(&network) {}
  explicit EitherPort(SerialPort<Umem>& line) : line_(&line) {}

  [[nodiscard]] bool is_network() const { return network_ != nullptr; }

  std::size_t capture(std::span<Frame> burst) {
    return line_ != nullptr ? line_->capture(burst) : network_->capture(burst);
  }
  bool release(const Frame& frame, HostTime due = kNoDue) {
    return line_ != nullptr ? line_->release(frame) : network_->release(frame, due);
  }
  void flush() { line_ != nullptr ? line_->flush() : network_->flush(); }
  [[nodiscard]] Nanoseconds launch_lead() const { return line_ != nullptr ? Nanoseconds{0} : network_->launch_lead(); }
  [[nodiscard]] bool unplugged() const { return line_ != nullptr ? line_->unplugged() : network_->unplugged(); }

  template <class Each>
  void each_arrival_fd(Each each) const {
    line_ != nullptr ? line_->each_arrival_fd(each) : network_->each_arrival_fd(each);
  }
  [[nodiscard]] bool arrivals_wake() const { return true; }
  [[nodiscard]] bool unfinished() const { return line_ == nullptr && network_->unfinished(); }
  bool arm_arrivals() { return line_ != nullptr && line_->arm_arrivals(); }
  void disarm_arrivals() {}

  [[nodiscard]] bool awaits_ask() const { return line_ != nullptr && line_->awaits_ask(); }
  void ask(std::uint32_t bytes) { line_->ask(bytes); }

 private:
  AfXdpPort* network_ = nullptr;
  SerialPort<Umem>* line_ = nullptr;
};
static_assert(LaunchPort<EitherPort> && ModemPort<EitherPort> && ArmedPort<EitherPort>);

PortPlan networks_in(PortPlan plan) {
  std::erase_if(plan.ports, [](const PlannedPort& port) { return is_line(port.config.driver); });
  return plan;
}

/// The Ports of a PathPlane. They stay those of the start (check_change).
class MixedPorts {
 public:
  using Port = EitherPort;
  using Pool = Umem;

  MixedPorts(const Configuration& configuration, const PathSettings& settings, const PortPlan& plan,
             const TscClock& clock)
      : networks_(configuration, settings, networks_in(plan), clock),
        lines_(configuration, plan, clock, [this](std::size_t core) -> Umem& { return networks_.pool(core); }),
        ports_(plan.slots) {
    for (const PlannedPort& planned : plan.ports) {
      auto& port = ports_[planned.slot.value()];
      if (is_line(planned.config.driver)) {
        port.emplace(lines_.port(planned.slot));
      } else {
        port.emplace(*networks_.port(planned.slot));
      }
    }
  }

  Umem& pool(std::size_t core) { return networks_.pool(core); }
  EitherPort* port(PortSlot slot) {
    auto& port = ports_[slot.value()];
    return port ? &*port : nullptr;
  }
  [[nodiscard]] PortReport report(PortSlot slot) const {
    return is_network(slot) ? networks_.report(slot) : lines_.report(slot);
  }
  [[nodiscard]] std::optional<std::uint8_t> free_percent(PortSlot slot) const {
    return is_network(slot) ? std::nullopt : std::make_optional(lines_.free_percent(slot));
  }
  [[nodiscard]] std::size_t bytes() const { return networks_.bytes(); }
  [[nodiscard]] std::size_t kernel_memory() const { return networks_.kernel_memory(); }
  void enter_thread() {}
  void discipline() { networks_.discipline(); }
  template <class Wake>
  std::vector<PortChange> attend(const InterfaceChanges& changes, Wake wake) {
    std::vector<PortChange> news = networks_.attend(changes, std::move(wake));
    lines_.add_changes(news);
    return news;
  }
  void prepare(const PortPlan&) {}
  void cancel() {}
  template <class Wake>
  bool carry_out(const PortPlan&, Wake) {
    return false;
  }
  void forget_removed(const PortPlan&) {}
  void check(const PathSettings& settings) const { networks_.check(settings); }
  void changed(const PathSettings& settings) { networks_.changed(settings); }
  [[nodiscard]] bool wired() const { return networks_.wired(); }
  void observe(bool on) { networks_.observe(on); }
  void air_changed(const LinkTable& table, const KernelLinks::Held& held) { networks_.air_changed(table, held); }
  void add_to(PathTotals& totals) { networks_.add_to(totals); }
  void add_to(LinkSlot link, LinkCounts& counts) { networks_.add_to(link, counts); }

 private:
  [[nodiscard]] bool is_network(PortSlot slot) const { return ports_[slot.value()]->is_network(); }

  AfXdpPorts networks_;
  SerialPorts lines_;
  std::vector<std::optional<EitherPort>> ports_;  // by PortSlot
};

}  // namespace

std::unique_ptr<DataPlane> make_serial_plane(const Configuration& configuration, const PathSettings& settings,
                                             const PortPlan& ports, const TscClock& clock) {
  return std::make_unique<PathPlane<MixedPorts>>(std::make_unique<MixedPorts>(configuration, settings, ports, clock),
                                                 settings, ports, configuration, clock);
}

}  // namespace hilgate
