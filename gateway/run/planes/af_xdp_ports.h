// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "clock/tsc_clock.h"
#include "frame/port_config.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/planes/configured_kernel_path.h"
#include "host/tap_device.h"
#include "path/data_plane.h"
#include "path/ports/port_plan.h"
#include "xdp/af_xdp_port.h"
#include "xdp/kernel_path.h"
#include "xdp/umem.h"
#include "xdp/xsk_socket.h"

namespace hilgate {

/// What an AF_XDP port reports about itself, for people.
PortReport af_xdp_report(const PortConfig& config, const AfXdpPort& port);

/// The network interfaces of a run, and its frame memory: the Ports of a PathPlane (path_plane.h).
class AfXdpPorts {
 public:
  using Port = AfXdpPort;
  using Pool = Umem;

  /// `plan` has ports of this driver alone.
  AfXdpPorts(const Configuration& configuration, const PathSettings& settings, const PortPlan& plan,
             const TscClock& clock);

  Umem& pool(std::size_t core) { return *umems_[core]; }
  AfXdpPort* port(PortSlot slot) { return places_[slot.value()].port.get(); }
  [[nodiscard]] PortReport report(PortSlot slot) const { return report_of(places_[slot.value()]); }
  [[nodiscard]] std::size_t kernel_memory() const;
  [[nodiscard]] std::size_t bytes() const { return umems_.front()->memory_bytes(); }
  void enter_thread() {}
  /// Compares the clocks of the ports' timestamps with host time.
  void discipline();
  template <class Wake>
  std::vector<PortChange> attend(const InterfaceChanges& changes, Wake wake) {
    std::vector<PortChange> news;
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      const Place& place = places_[i];
      if (place.port == nullptr || (place.port->link().state == PortState::kUp &&
                                    !changes.concern(place.port->interface().index, place.config.interface))) {
        continue;
      }
      AfXdpPort& port = *place.port;
      const PortLink before = port.link();
      try_to([&] { port.attend([wake, i] { wake(PortSlot{i}); }); });
      if (port.link() != before) {
        news.push_back({.now = report_of(place),
                        .plugged = port.link().state == PortState::kUp,
                        .was_plugged = before.state == PortState::kUp && before.interface == port.link().interface});
      }
    }
    return news;
  }

  void prepare(const PortPlan& plan);
  void cancel();
  /// An interface may be one port's no more and another's now.
  template <class Wake>
  bool carry_out(const PortPlan& plan, Wake wake) {
    bool some_go = false;
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      if (port(PortSlot{i}) != nullptr && plan.at(PortSlot{i}) == nullptr) {
        some_go = true;
        port(PortSlot{i})->leave([wake, i] { wake(PortSlot{i}); });
      }
    }
    for (const PlannedPort& planned : plan.ports) {
      Place& place = places_[planned.slot.value()];
      place.config = planned.config;
      if (place.port != nullptr) {
        place.port->set_ptp(planned.config.ptp);
      }
      if (std::exchange(place.is_new, false)) {
        try_to([&] { place.port->join([wake, slot = planned.slot] { wake(slot); }); });
      }
    }
    return some_go;
  }
  void forget_removed(const PortPlan& plan);
  void check(const PathSettings& settings) const;
  /// Fail modes and links decided in the kernel know robots by their slots, too.
  void changed(const PathSettings& settings);
  [[nodiscard]] bool wired() const { return kernel_ && kernel_->wired(); }
  void air_changed(const LinkTable& table, const KernelLinks::Held& held);
  /// All frames take the packet path as long as it is observed.
  void observe(bool on);
  void add_to(PathTotals& totals);
  void add_to(LinkSlot link, LinkCounts& counts);

 private:
  struct Place {
    std::uint16_t lender = 0;  // Umem::add_port()
    PortConfig config{};
    std::unique_ptr<TapDevice> tap{};  // outlives the port
    std::unique_ptr<AfXdpPort> port{};
    bool is_new = false;  // the packet loop may not have it yet
  };

  static PortReport report_of(const Place& place) { return af_xdp_report(place.config, *place.port); }

  AfXdpPort& make(const PlannedPort& planned);
  void prepare(const PlannedPort& planned);
  void check_memory(const PlannedPort& planned) const;
  // The link has the reason why it cannot be a port, which is logged once.
  template <class Do>
  static void try_to(Do what) {
    try {
      what();
    } catch (const std::runtime_error&) {
      return;
    }
  }

  const TscClock& clock_;
  const MemoryConfig frames_;
  const bool decides_links_;
  std::vector<std::unique_ptr<Umem>> umems_;  // by core, over one area
  XskMemory memory_;
  std::unique_ptr<KernelPath> kernel_;
  bool observed_ = false;
  std::optional<KernelLinks> links_;  // where links may be decided in the kernel
  std::vector<Place> places_;         // by PortSlot
};

}  // namespace hilgate
