// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/planes/af_xdp_plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "gateway/daemon/planes/af_xdp_report.h"
#include "gateway/daemon/planes/configured_kernel_path.h"
#include "gateway/daemon/planes/kernel_links.h"
#include "gateway/daemon/planes/path_plane.h"
#include "xdp/af_xdp_port.h"
#include "xdp/kernel_path.h"
#include "xdp/umem.h"
#include "xdp/xsk_socket.h"

namespace hilgate {
namespace {

constexpr std::uint32_t kRingSize = 2048;

std::vector<KernelRobot> kernel_robots(const std::vector<RobotEntry>& slots) {
  std::vector<KernelRobot> robots;
  for (std::uint32_t i = 0; i < slots.size(); ++i) {
    for (const MacAddress mac : slots[i].macs) {
      robots.push_back({mac, RobotId{i}, slots[i].port});
    }
  }
  return robots;
}

class AfXdpPorts {
 public:
  using Port = AfXdpPort;
  using Pool = Umem;

  AfXdpPorts(const Configuration& configuration, const PathSettings& settings, const PortPlan& plan,
             const TscClock& clock)
      : clock_(clock),
        decides_links_(configuration.kernel_links),
        umems_(Umem::over_cores({.chunks = configuration.memory.frames, .chunk_size = configuration.memory.frame_bytes},
                                configuration.cores.size())),
        memory_(*umems_.front(), kRingSize, false),
        kernel_(configured_kernel_path(configuration)) {
    if (configuration.kernel_links) {
      links_.emplace(*kernel_);
      links_->use(settings);
    }
    for (std::size_t slot = 0; slot < plan.slots; ++slot) {
      places_.push_back({.lender = umems_.front()->add_port()});
    }
    for (const PlannedPort& planned : plan.ports) {
      make(planned).close_off();
    }
    memory_.set_zero_copy(choose_zero_copy(configuration.ports));
    for (const PlannedPort& planned : plan.ports) {
      port(planned.slot)->attend({});
    }
  }

  Umem& pool(std::size_t core) { return *umems_[core]; }
  AfXdpPort* port(PortId slot) { return places_[slot.value()].port.get(); }
  [[nodiscard]] PortReport report(PortId slot) const { return report_of(places_[slot.value()]); }
  [[nodiscard]] std::size_t bytes() const { return umems_.front()->memory_bytes(); }
  void enter_thread() {}
  void discipline() {}
  template <class Wake>
  std::vector<PortChange> attend(const LinkChanges& changes, Wake wake) {
    std::vector<PortChange> news;
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      const Place& place = places_[i];
      if (place.port == nullptr || (place.port->link().state == PortState::kUp &&
                                    !changes.concern(place.port->interface().index, place.config.interface))) {
        continue;
      }
      AfXdpPort& port = *place.port;
      const PortLink before = port.link();
      try_to([&] { port.attend([wake, i] { wake(PortId{i}); }); });
      if (port.link() != before) {
        news.push_back({.now = report_of(place),
                        .plugged = port.link().state == PortState::kUp,
                        .was_plugged = before.state == PortState::kUp && before.interface == port.link().interface});
      }
    }
    return news;
  }

  void prepare(const PortPlan& plan) {
    for (const PlannedPort& planned : plan.ports) {
      if (port(planned.slot) == nullptr) {
        try {
          prepare(planned);
        } catch (const std::runtime_error& error) {
          cancel();
          throw std::runtime_error(fmt::format("ports.{}: {}", planned.config.name, error.what()));
        }
      }
    }
  }
  void cancel() {
    for (Place& place : places_) {
      if (std::exchange(place.is_new, false)) {
        place.port->cancel();
        place.port.reset();
      }
    }
  }
  /// An interface may be one port's no more and another's now.
  template <class Wake>
  bool carry_out(const PortPlan& plan, Wake wake) {
    bool some_go = false;
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      if (port(PortId{i}) != nullptr && plan.at(PortId{i}) == nullptr) {
        some_go = true;
        port(PortId{i})->leave([wake, i] { wake(PortId{i}); });
      }
    }
    for (const PlannedPort& planned : plan.ports) {
      Place& place = places_[planned.slot.value()];
      place.config = planned.config;
      if (std::exchange(place.is_new, false)) {
        try_to([&] { place.port->join([wake, slot = planned.slot] { wake(slot); }); });
      }
    }
    return some_go;
  }
  void forget_removed(const PortPlan& plan) {
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      if (plan.at(PortId{i}) == nullptr) {
        places_[i].port.reset();
      }
    }
  }

  void check(const PathSettings& settings) const {
    if (kernel_) {
      kernel_->check_robots(kernel_robots(settings.robots));
    }
  }
  /// Fail modes and links decided in the kernel know robots by their slots, too.
  void changed(const PathSettings& settings) {
    if (kernel_) {
      kernel_->set_robots(kernel_robots(settings.robots));
    }
    if (links_) {
      links_->use(settings);
    }
  }
  void air_changed(const LinkTable& table, const KernelLinks::Held& held) {
    if (links_) {
      links_->decide(table, held);
    }
  }
  void add_to(PathTotals& totals) {
    if (links_) {
      links_->add_to(totals);
    }
  }
  void add_to(LinkId link, LinkCounts& counts) {
    if (links_) {
      links_->add_to(link, counts);
    }
  }

 private:
  struct Place {
    std::uint16_t lender = 0;  // Umem::add_port()
    PortConfig config{};
    std::unique_ptr<AfXdpPort> port{};
    bool is_new = false;  // the hot loop may not have it yet
  };

  static PortReport report_of(const Place& place) { return af_xdp_report(place.config, *place.port); }

  AfXdpPort& make(const PlannedPort& planned) {
    Place& place = places_[planned.slot.value()];
    place.config = planned.config;
    place.port = std::make_unique<AfXdpPort>(
        memory_, *umems_[planned.core], place.lender, planned.config, clock_,
        KernelPort{.path = kernel_.get(), .id = planned.slot, .decides_links = decides_links_, .core = planned.core});
    return *place.port;
  }
  // What can go wrong goes wrong here, while nothing has changed yet. An interface that is another port's until then
  // cannot be looked at.
  void prepare(const PlannedPort& planned) {
    const PortConfig& config = planned.config;
    if (config.fail != FailMode::kNone && kernel_ == nullptr) {
      throw std::runtime_error(
          "a fail mode, where no port had one when the gateway started, takes a restart; use "
          "`fail: none`");
    }
    if (config.xdp == XdpMode::kZeroCopy && !memory_.mode().zero_copy) {
      throw std::runtime_error(
          "mode zero-copy is chosen for all ports together when the gateway starts, and was not; "
          "use mode auto or native, or restart the gateway");
    }
    const bool is_taken = std::any_of(places_.begin(), places_.end(), [&config](const Place& place) {
      return place.port != nullptr && place.config.interface == config.interface;
    });
    AfXdpPort& port = make(planned);
    places_[planned.slot.value()].is_new = true;
    if (!is_taken) {
      port.prepare();
      check_memory(planned);
    }
  }
  // Each rx queue of a core's ports takes a ring's worth of its chunks.
  void check_memory(const PlannedPort& planned) const {
    const Umem& umem = *umems_[planned.core];
    std::uint32_t queues = 0;
    for (const Place& place : places_) {
      queues += place.port != nullptr && place.port->takes_from(umem) ? place.port->interface().rx_queues : 0;
    }
    if (const std::uint32_t wanted = queues * kRingSize; wanted > umem.own_chunks()) {
      throw std::runtime_error(
          fmt::format("{} rx queues of the ports that are then there need {} chunks of frame memory each; there are {} "
                      "(memory.frames)",
                      queues, kRingSize, umem.own_chunks()));
    }
  }
  // Why it cannot be a port is in its link, and told once.
  template <class Do>
  static void try_to(Do what) {
    try {
      what();
    } catch (const std::runtime_error&) {
      return;
    }
  }
  const TscClock& clock_;
  const bool decides_links_;
  std::vector<std::unique_ptr<Umem>> umems_;  // by core, over one area
  XskMemory memory_;
  std::unique_ptr<KernelPath> kernel_;
  std::optional<KernelLinks> links_;  // where links may be decided in the kernel
  std::vector<Place> places_;         // by PortId
};

}  // namespace

std::unique_ptr<DataPlane> make_af_xdp_plane(const Configuration& configuration, const PathSettings& settings,
                                             const PortPlan& ports, const TscClock& clock) {
  return std::make_unique<PathPlane<AfXdpPorts>>(std::make_unique<AfXdpPorts>(configuration, settings, ports, clock),
                                                 settings, ports, configuration, clock);
}

}  // namespace hilgate
