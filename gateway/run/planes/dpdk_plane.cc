// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/data_planes.h"

#include <fmt/format.h>
#include <rte_lcore.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "dpdk/dpdk_port.h"
#include "dpdk/eal.h"
#include "dpdk/mbuf_pool.h"
#include "frame/headers.h"
#include "gateway/run/planes/path_plane.h"
#include "host/run_folder.h"
#include "host/unix_socket.h"

namespace hilgate {
namespace {

// Where the driver of a memif is: in the run's folder, which free_socket_path() makes.
std::string driver_socket(const Configuration& configuration, const PortConfig& port) {
  return port.dpdk.kind == DpdkKind::kMemif
             ? (run_folder(configuration.name, RunSide::kGateway) / fmt::format("driver-{}.memif", port.name)).string()
             : "";
}

EalOptions eal_options(const Configuration& configuration) {
  EalOptions options{.file_prefix = "hilgate-" + configuration.name,
                     .hugepages = configuration.dpdk.hugepages,
                     .memory_mib = configuration.dpdk.memory_mib,
                     .devices = {},
                     .virtual_devices = {},
                     .extra = configuration.dpdk.arguments,
                     .ends_with_process = false};
  for (const PortConfig& port : configuration.ports) {
    add_device(options, port.dpdk, driver_socket(configuration, port));
  }
  if (!options.hugepages && options.memory_mib == 0) {
    // Frames, mbuf headers and what devices take for themselves.
    const std::uint64_t frames = std::uint64_t{configuration.memory.frames} * (configuration.memory.frame_bytes + 512);
    options.memory_mib = static_cast<std::uint32_t>((frames >> 20) + 64);
  }
  return options;
}

// The sockets of memifs' drivers, which DPDK leaves.
class DriverSockets {
 public:
  explicit DriverSockets(const Configuration& configuration) {
    for (const PortConfig& port : configuration.ports) {
      if (const std::string path = driver_socket(configuration, port); !path.empty()) {
        free_socket_path(path);
        paths_.push_back(path);
      }
    }
  }
  ~DriverSockets() {
    for (const std::string& path : paths_) {
      remove_socket_path(path);
    }
  }
  DriverSockets(const DriverSockets&) = delete;
  DriverSockets& operator=(const DriverSockets&) = delete;

 private:
  std::vector<std::string> paths_;
};

class DpdkPorts {
 public:
  using Port = DpdkPort;
  using Pool = MbufPool;

  DpdkPorts(const Configuration& configuration, const PathSettings& settings, const PortPlan& plan,
            const TscClock& clock)
      : driver_sockets_(configuration),
        eal_(eal_options(configuration)),
        pool_("hilgate", configuration.memory.frames, static_cast<std::uint16_t>(configuration.memory.frame_bytes)),
        places_(plan.slots) {
    const std::string no_launch_time = configuration.pace == Pace::kFollow ? kFollowedTime : "";
    for (const PlannedPort& planned : plan.ports) {
      const PortConfig& port = planned.config;
      // Memory that is shared with a peer has interrupts only while the peer is there: its rings are looked at.
      const bool interrupts =
          configuration.cores[planned.core].idle == IdleMode::kSleep && port.dpdk.kind == DpdkKind::kDevice;
      places_[planned.slot.value()] = {
          port,
          std::make_unique<DpdkPort>(DpdkPortOptions{.name = port.name,
                                                     .device = port.dpdk.device,
                                                     .kind = port.dpdk.kind,
                                                     .socket = port.dpdk.socket,
                                                     .driver_socket = driver_socket(configuration, port),
                                                     .rx_queues = port.dpdk.queues,
                                                     .descriptors = port.dpdk.descriptors,
                                                     .frame_limit = settings.frame_limit + (port.trunk ? kVlanTag : 0),
                                                     .interrupts = interrupts,
                                                     .launch_time = port.launch_time,
                                                     .no_launch_time = no_launch_time},
                                     pool_, clock)};
      places_[planned.slot.value()].port->set_ptp(port.ptp);
      places_[planned.slot.value()].reported_unplugged = places_[planned.slot.value()].port->unplugged();
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
  // Devices are never added, and are removed by the configuration only; cables and peers change any time: polled.
  std::vector<PortChange> attend(const InterfaceChanges&, const auto&) {
    std::vector<PortChange> news;
    for (Place& place : places_) {
      if (place.port == nullptr) {
        continue;
      }
      place.port->look_for_carrier();
      const bool before = std::exchange(place.reported_unplugged, place.port->unplugged());
      if (place.reported_unplugged != before) {
        news.push_back({.now = report(place.config, *place.port), .plugged = before, .was_plugged = !before});
      }
    }
    return news;
  }
  // PTP passes from the moment on at which the packet loops have the change: no device may keep frames by then.
  void prepare(const PortPlan& plan) {
    for (const PlannedPort& planned : plan.ports) {
      if (places_[planned.slot.value()].port == nullptr) {
        throw std::runtime_error(fmt::format(
            "ports.{}: {} cannot be added at run time, because DPDK opens its devices when it starts; restart the "
            "gateway",
            planned.config.name, port_place(planned.config)));
      }
    }
    for (const PlannedPort& planned : plan.ports) {
      if (planned.config.ptp == PtpPassage::kTransparent) {
        places_[planned.slot.value()].port->set_ptp(PtpPassage::kTransparent);
      }
    }
  }
  void cancel() {
    for (const Place& place : places_) {
      if (place.port != nullptr) {
        place.port->set_ptp(place.config.ptp);
      }
    }
  }
  bool carry_out(const PortPlan& plan, const auto&) {
    bool some_go = false;
    for (std::uint32_t slot = 0; slot < places_.size(); ++slot) {
      const PlannedPort* const planned = plan.at(PortSlot{slot});
      if (planned != nullptr) {
        places_[slot].config = planned->config;
        places_[slot].port->set_ptp(planned->config.ptp);
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
  static std::string kind(const DpdkDeviceConfig& device) {
    switch (device.kind) {
      case DpdkKind::kMemif:
        return "memif";
      case DpdkKind::kVhostUser:
        return "vhost_user";
      case DpdkKind::kDevice:
        break;
    }
    return "dpdk";
  }
  static std::string no_carrier(const DpdkDeviceConfig& device, const DpdkPort& port) {
    if (device.kind == DpdkKind::kDevice) {
      return "no carrier: the cable or its other end is not there, or is down";
    }
    const std::string ended = port.last_ended();
    return fmt::format(
        "no carrier: {} is {} unix:{}{}",
        device.kind == DpdkKind::kMemif ? fmt::format("no memif with id {}", device.socket.id) : "no virtual machine",
        device.socket.server ? "connected to" : "listening at", device.socket.path,
        ended.empty() ? "" : fmt::format("; the last connection ended: {}", ended));
  }
  static std::string mode(const DpdkDeviceConfig& device, const DpdkPortMode& mode) {
    const std::string role = device.kind == DpdkKind::kDevice ? "" : device.socket.server ? ", server" : ", client";
    return fmt::format("{}{}, {} queue{}{}{}", mode.driver, role, mode.rx_queues, mode.rx_queues == 1 ? "" : "s",
                       mode.scattered ? ", scattered" : "", mode.interrupts ? ", interrupts" : "");
  }
  static ArrivalTimestamps arrival_timestamps(const DpdkPortMode& mode, const DpdkArrivals& arrivals) {
    if (mode.stamps.empty()) {
      return {.problem = mode.no_stamps};
    }
    return {.source = arrivals.kernel ? "kernel" : "driver",
            .clock = mode.stamps,
            .problem = arrivals.kernel ? "net_pcap has frames from the kernel" : "",
            .count = arrivals.count,
            .missing = arrivals.missing,
            .unusable = arrivals.unusable,
            .margin = arrivals.margin};
  }
  static PortReport report(const PortConfig& config, const DpdkPort& port) {
    const rte_eth_stats stats = port.statistics();
    const DpdkPortMode& mode = port.mode();
    const DpdkArrivals arrivals = port.arrivals();
    const bool unplugged = port.unplugged();
    return {.name = config.name,
            .interface = port_place(config),
            .state = unplugged ? "no carrier" : "up",
            .problem = unplugged ? no_carrier(config.dpdk, port) : "",
            .driver = kind(config.dpdk),
            .mode = DpdkPorts::mode(config.dpdk, mode),
            .arrivals = arrival_timestamps(mode, arrivals),
            .departures = port.stamps(),
            .send_on_timestamp = mode.sends_on_timestamp ? "available" : "none",
            .largest_frame = mode.largest_frame,
            .counts = {{"captured", port.captured()},
                       {"released", port.released()},
                       {"missed", stats.imissed},
                       {"rx_errors", stats.ierrors},
                       {"no_mbuf", stats.rx_nombuf},
                       {"stamped_late", arrivals.missing + arrivals.unusable},
                       {"tx_errors", stats.oerrors},
                       {"discarded", port.discarded()}},
            .lost_at_capture = {{"missed", stats.imissed}, {"rx_errors", stats.ierrors}, {"no_mbuf", stats.rx_nombuf}},
            .lost_at_sending = {{"tx_errors", stats.oerrors}, {"discarded", port.discarded()}}};
  }

  struct Place {
    PortConfig config{};
    std::unique_ptr<DpdkPort> port{};
    bool reported_unplugged = false;
  };

  DriverSockets driver_sockets_;  // outlives DPDK
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
