// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/planes/dpdk_plane.h"

#include <fmt/format.h>
#include <rte_lcore.h>

#include <algorithm>
#include <utility>

#include "dpdk/dpdk_port.h"
#include "dpdk/eal.h"
#include "dpdk/mbuf_pool.h"
#include "gateway/daemon/planes/path_plane.h"

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

  DpdkPorts(const Configuration& configuration, const PathSettings& settings, const TscClock& clock)
      : configs_(configuration.ports),
        eal_(eal_options(configuration)),
        pool_("hilgate", configuration.memory.frames, static_cast<std::uint16_t>(configuration.memory.frame_bytes)) {
    const std::vector<std::size_t> cores = core_of_ports(configuration);
    for (std::size_t i = 0; i < configs_.size(); ++i) {
      const PortConfig& port = configs_[i];
      const bool sleeps = configuration.cores[cores[i]].idle == IdleMode::kSleep;
      ports_.push_back(std::make_unique<DpdkPort>(DpdkPortOptions{.name = port.name,
                                                                  .device = port.dpdk.device,
                                                                  .rx_queues = port.dpdk.queues,
                                                                  .descriptors = port.dpdk.descriptors,
                                                                  .frame_limit = settings.frame_limit,
                                                                  .interrupts = sleeps},
                                                  pool_, clock));
    }
  }

  MbufPool& pool(std::size_t) { return pool_; }  // safe for several threads
  DpdkPort& port(std::size_t index) { return *ports_[index]; }
  [[nodiscard]] PortReport report(std::size_t index) const { return report(configs_[index], *ports_[index]); }
  [[nodiscard]] std::size_t bytes() const { return pool_.bytes(); }
  /// Gives the thread a number within EAL, and with it a cache in front of the pool.
  void enter_thread() { rte_thread_register(); }
  void discipline() {
    for (const auto& port : ports_) {
      port->discipline();
    }
  }
  // Devices do not come and go.
  std::vector<PortChange> attend(const LinkChanges&, const auto&) { return {}; }
  // No kernel decides beside DPDK.
  void check(const PathSettings&) const {}
  void changed(const PathSettings&) {}
  void air_changed(const LinkTable&, const auto&) {}
  void add_to(PathTotals&) {}
  void add_to(LinkId, LinkCounts&) {}

 private:
  static PortReport report(const PortConfig& config, const DpdkPort& port) {
    const rte_eth_stats stats = port.statistics();
    const DpdkPortMode& mode = port.mode();
    return {.name = config.name,
            .interface = config.dpdk.device,
            .driver = "dpdk",
            .mode = fmt::format("{}, {} queue{}{}{}", mode.driver, mode.rx_queues, mode.rx_queues == 1 ? "" : "s",
                                mode.scattered ? ", scattered" : "", mode.interrupts ? ", interrupts" : ""),
            .arrival_times = mode.stamps.empty() ? "the hot loop" : mode.stamps,
            .release_times = "the hot loop",
            .largest_frame = mode.largest_frame,
            .counts = {{"captured", stats.ipackets},
                       {"released", stats.opackets},
                       {"missed", stats.imissed},
                       {"rx_errors", stats.ierrors},
                       {"no_mbuf", stats.rx_nombuf},
                       {"stamped_late", port.stamped_late()},
                       {"tx_errors", stats.oerrors}}};
  }

  std::vector<PortConfig> configs_;
  Eal eal_;
  MbufPool pool_;
  std::vector<std::unique_ptr<DpdkPort>> ports_;
};

}  // namespace

std::unique_ptr<DataPlane> make_dpdk_plane(const Configuration& configuration, const PathSettings& settings,
                                           const TscClock& clock) {
  return std::make_unique<PathPlane<DpdkPorts>>(std::make_unique<DpdkPorts>(configuration, settings, clock), settings,
                                                configuration, clock);
}

}  // namespace hilgate
