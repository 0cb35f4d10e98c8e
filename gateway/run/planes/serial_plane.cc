// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/serial_plane.h"

#include <optional>
#include <utility>
#include <vector>

#include "gateway/run/planes/af_xdp_ports.h"
#include "gateway/run/planes/path_plane.h"
#include "gateway/run/planes/serial_ports.h"
#include "serial/serial_port.h"

namespace hilgate {
namespace {

/// One of the two. Satisfies FramePort.
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
static_assert(FramePort<EitherPort> && ModemPort<EitherPort> && ArmedPort<EitherPort>);

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
