// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/dpdk_plane.h"

#include <fmt/format.h>
#include <rte_lcore.h>

#include <stdexcept>

#include "dpdk/dpdk_port.h"
#include "dpdk/eal.h"
#include "dpdk/mbuf_pool.h"
#include "frame/headers.h"
#include "gateway/run/planes/path_plane.h"

namespace hilgate {
namespace {

bool is_virtual(const std::string& device) {
  return device.starts_with("net_") || device.starts_with("eth_");
}

EalOptions eal_options(const Configuration& configuration) {
  EalOptions options{.file_prefix = "hilgate-" + configuration.name,
                     .hugepages = configuration.dpdk.hugepages,
                     .memory_mib = configuration.dpdk.memory_mib,
                     .devices = {},
                     .virtual_devices = {},
                     .extra = configuration.dpdk.arguments};
  for (const PortConfig& port : configuration.ports) {
    auto& list = is_virtual(port.dpdk.device) ? options.virtual_devices : options.devices;
    list.push_back(port.dpdk.arguments.empty() ? port.dpdk.device : port.dpdk.device + "," + port.dpdk.arguments);
  }
  if (!options.hugepages && options.memory_mib == 0) {
    // Frames, mbuf headers and what devices take for themselves.
    const std::uint64_t frames = std::uint64_t{configuration.memory.frames} * (configuration.memory.frame_bytes + 512);
    options.memory_mib = static_cast<std::uint32_t>((frames >> 20) + 64);
  }
  return options;
}

class DpdkPorts {
 public:
  using Port = DpdkPort;
  using Pool = MbufPool;

  DpdkPorts(const Configuration& configuration, const PathSettings& settings, const PortPlan& plan,
            const TscClock& clock)
      : eal_(eal_options(configuration)),
        pool_("hilgate", configuration.memory.frames, static_cast<std::uint16_t>(configuration.memory.frame_bytes)),
        places_(plan.slots) {
    for (const PlannedPort& planned : plan.ports) {
      const PortConfig& port = planned.config;
      const bool sleeps = configuration.cores[planned.core].idle == IdleMode::kSleep;
      places_[planned.slot.value()] = {
          port,
          std::make_unique<DpdkPort>(DpdkPortOptions{.name = port.name,
                                                     .device = port.dpdk.device,
                                                     .rx_queues = port.dpdk.queues,
                                                     .descriptors = port.dpdk.descriptors,
                                                     .frame_limit = settings.frame_limit + (port.trunk ? kVlanTag : 0),
                                                     .interrupts = sleeps},
                                     pool_, clock)};
    }
  }

  MbufPool& pool(std::size_t) { return pool_; }  // safe for several threads
  DpdkPort* port(PortSlot slot) { return places_[slot.value()].port.get(); }
  [[nodiscard]] PortReport report(PortSlot slot) const {
    return report(places_[slot.value()].config, *places_[slot.value()].port);
  }
  [[nodiscard]] std::size_t bytes() const { return pool_.bytes(); }
  /// Gives the thread a number within EAL, and with it a cache in front of the pool.
  void enter_thread() { rte_thread_register(); }
  void discipline() {
    for (const Place& place : places_) {
      if (place.port != nullptr) {
        place.port->discipline();
      }
    }
  }
  // Devices are never added, and are removed by the configuration only; cables change any time, without events: polled.
  std::vector<PortChange> attend(const InterfaceChanges&, const auto&) {
    std::vector<PortChange> news;
    for (const Place& place : places_) {
      if (place.port == nullptr) {
        continue;
      }
      const bool before = place.port->unplugged();
      place.port->look_for_carrier();
      if (place.port->unplugged() != before) {
        news.push_back({.now = report(place.config, *place.port), .plugged = before, .was_plugged = !before});
      }
    }
    return news;
  }
  void prepare(const PortPlan& plan) {
    for (const PlannedPort& planned : plan.ports) {
      if (places_[planned.slot.value()].port == nullptr) {
        throw std::runtime_error(fmt::format(
            "ports.{}: {} cannot be added at run time, because DPDK opens its devices when it starts; restart the "
            "gateway",
            planned.config.name, planned.config.dpdk.device));
      }
    }
  }
  void cancel() {}
  bool carry_out(const PortPlan& plan, const auto&) {
    bool some_go = false;
    for (std::uint32_t slot = 0; slot < places_.size(); ++slot) {
      const PlannedPort* const planned = plan.at(PortSlot{slot});
      if (planned != nullptr) {
        places_[slot].config = planned->config;
      }
      some_go |= planned == nullptr && places_[slot].port != nullptr;
    }
    return some_go;
  }
  void forget_removed(const PortPlan& plan) {
    for (std::uint32_t slot = 0; slot < places_.size(); ++slot) {
      if (plan.at(PortSlot{slot}) == nullptr) {
        places_[slot].port.reset();
      }
    }
  }
  // With DPDK, frames are never decided in the kernel.
  [[nodiscard]] static std::size_t kernel_memory() { return 0; }
  [[nodiscard]] static bool wired() { return false; }
  void check(const PathSettings&) const {}
  void changed(const PathSettings&) {}
  void air_changed(const LinkTable&, const auto&) {}
  void observe(bool) {}
  void add_to(PathTotals&) {}
  void add_to(LinkSlot, LinkCounts&) {}

 private:
  static PortReport report(const PortConfig& config, const DpdkPort& port) {
    const rte_eth_stats stats = port.statistics();
    const DpdkPortMode& mode = port.mode();
    return {.name = config.name,
            .interface = config.dpdk.device,
            .state = port.unplugged() ? "no carrier" : "up",
            .problem = port.unplugged() ? "no carrier: the cable or its other end is not there, or is down" : "",
            .driver = "dpdk",
            .mode = fmt::format("{}, {} queue{}{}{}", mode.driver, mode.rx_queues, mode.rx_queues == 1 ? "" : "s",
                                mode.scattered ? ", scattered" : "", mode.interrupts ? ", interrupts" : ""),
            .arrival_times = mode.stamps.empty() ? "the packet loop" : mode.stamps,
            .release_times = "the packet loop",
            .timestamps = {.problem = "transmit timestamps of DPDK devices are not read",
                           .send_on_timestamp = mode.sends_on_timestamp ? "available" : "none"},
            .largest_frame = mode.largest_frame,
            .counts = {{"captured", stats.ipackets},
                       {"released", stats.opackets},
                       {"missed", stats.imissed},
                       {"rx_errors", stats.ierrors},
                       {"no_mbuf", stats.rx_nombuf},
                       {"stamped_late", port.stamped_late()},
                       {"tx_errors", stats.oerrors}},
            .lost_at_capture = {{"missed", stats.imissed}, {"rx_errors", stats.ierrors}, {"no_mbuf", stats.rx_nombuf}},
            .lost_at_sending = {{"tx_errors", stats.oerrors}}};
  }

  struct Place {
    PortConfig config{};
    std::unique_ptr<DpdkPort> port{};
  };

  Eal eal_;
  MbufPool pool_;
  std::vector<Place> places_;  // by PortSlot
};

}  // namespace

std::unique_ptr<DataPlane> make_dpdk_plane(const Configuration& configuration, const PathSettings& settings,
                                           const PortPlan& ports, const TscClock& clock) {
  return std::make_unique<PathPlane<DpdkPorts>>(std::make_unique<DpdkPorts>(configuration, settings, ports, clock),
                                                settings, ports, configuration, clock);
}

}  // namespace hilgate
