// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/planes/af_xdp_plane.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "gateway/daemon/planes/kernel_links.h"
#include "gateway/daemon/planes/path_plane.h"
#include "gateway/daemon/planes/robot_slots.h"
#include "xdp/af_xdp_port.h"
#include "xdp/kernel_path.h"
#include "xdp/umem.h"
#include "xdp/xsk_socket.h"

namespace hilgate {
namespace {

constexpr std::uint32_t kRingSize = 2048;

constexpr std::array<const char*, HG_CLASSES> kClassNames = {
    "ptp", "management", "arp", "nd", "ipv4", "ipv4_multicast", "ipv6", "ipv6_multicast", "other", "runt",
};

std::string mode_text(const AfXdpMode& mode) {
  std::string text = fmt::format("{}, {}", mode.native ? "native" : "generic", mode.zero_copy ? "zero-copy" : "copy");
  if (mode.queues > 1) {
    text += fmt::format(", {} queues", mode.queues);
  }
  if (!mode.fallback_reason.empty()) {
    text += fmt::format(" ({})", mode.fallback_reason);
  }
  return text;
}

std::vector<KernelRobot> kernel_robots(const std::vector<RobotEntry>& slots) {
  std::vector<KernelRobot> robots;
  for (std::uint32_t i = 0; i < slots.size(); ++i) {
    for (const MacAddress mac : slots[i].macs) {
      robots.push_back({mac, RobotId{i}, slots[i].port});
    }
  }
  return robots;
}

// Only where some port has a fail mode: without one, nothing of the gateway outlives its process.
std::unique_ptr<KernelPath> make_kernel_path(const Configuration& configuration) {
  if (!has_fail_mode(configuration)) {
    return nullptr;
  }
  std::vector<KernelRobot> robots;
  for (std::uint32_t i = 0; i < configuration.robots.size(); ++i) {
    for (const MacAddress mac : configuration.robots[i].macs) {
      robots.push_back({mac, RobotId{i}, configuration.robots[i].port});  // the first configuration: slots in order
    }
  }
  return std::make_unique<KernelPath>(
      KernelPathConfig{.directory = kernel_path_directory(configuration.name),
                       .ports = static_cast<std::uint32_t>(configuration.ports.size()),
                       .robots = static_cast<std::uint32_t>(link_ends(configuration) + RobotSlots::kSpare),
                       .cores = configuration.cores.size(),
                       .stale = configuration.heartbeat_stale},
      robots);
}

class AfXdpPorts {
 public:
  using Port = AfXdpPort;
  using Pool = Umem;

  AfXdpPorts(const Configuration& configuration, const PathSettings& settings, const TscClock& clock)
      : configs_(configuration.ports),
        umems_(Umem::over_cores({.chunks = configuration.memory.frames, .chunk_size = configuration.memory.frame_bytes},
                                configuration.cores.size())),
        memory_(*umems_.front(), kRingSize, choose_zero_copy(configs_)),
        kernel_(make_kernel_path(configuration)) {
    if (configuration.kernel_links) {
      links_.emplace(*kernel_);
      links_->use(settings);
    }
    const std::vector<std::size_t> cores = core_of_ports(configuration);
    for (std::uint32_t i = 0; i < configs_.size(); ++i) {
      const KernelPort place{
          .path = kernel_.get(), .id = PortId{i}, .decides_links = configuration.kernel_links, .core = cores[i]};
      ports_.push_back(std::make_unique<AfXdpPort>(memory_, *umems_[cores[i]], configs_[i], clock, place));
      if (kernel_) {
        kernel_->set_port(PortId{i}, ports_.back()->interface().index);
      }
    }
  }

  Umem& pool(std::size_t core) { return *umems_[core]; }
  AfXdpPort& port(std::size_t index) { return *ports_[index]; }
  [[nodiscard]] PortReport report(std::size_t index) const { return report(configs_[index], *ports_[index]); }
  [[nodiscard]] std::size_t bytes() const { return umems_.front()->memory_bytes(); }
  void enter_thread() {}
  void discipline() {}
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
  static PortReport report(const PortConfig& config, const AfXdpPort& port) {
    const AfXdpStatistics statistics = port.statistics();
    PortReport report{.name = config.name,
                      .interface = config.interface,
                      .driver = "af_xdp",
                      .mode = mode_text(port.mode()),
                      .arrival_times = "the XDP program",
                      .release_times = "the hot loop",
                      .largest_frame = port.mode().largest_frame,
                      .counts = {}};
    for (std::size_t i = 0; i < HG_CLASSES; ++i) {
      report.counts.emplace_back(fmt::format("class_{}", kClassNames[i]), statistics.program.by_class[i].frames);
    }
    report.counts.insert(report.counts.end(),
                         {{"to_kernel", statistics.program.by_outcome[HG_OUTCOME_KERNEL].frames},
                          {"to_socket", statistics.program.by_outcome[HG_OUTCOME_SOCKET].frames},
                          {"no_socket", statistics.program.by_outcome[HG_OUTCOME_NO_SOCKET].frames},
                          {"wired", statistics.program.by_outcome[HG_OUTCOME_WIRED].frames},
                          {"blocked", statistics.program.by_outcome[HG_OUTCOME_BLOCKED].frames},
                          {"captured", statistics.captured},
                          {"released", statistics.released},
                          {"oversize", statistics.oversize},
                          {"stamped_late", statistics.stamped_late},
                          {"lost_at_send", statistics.lost_at_send},
                          {"rx_dropped", statistics.rx_dropped},
                          {"rx_invalid", statistics.rx_invalid},
                          {"tx_invalid", statistics.tx_invalid},
                          {"rx_ring_full", statistics.rx_ring_full},
                          {"fill_ring_empty", statistics.fill_ring_empty},
                          {"tx_ring_empty", statistics.tx_ring_empty}});
    return report;
  }

  std::vector<PortConfig> configs_;
  std::vector<std::unique_ptr<Umem>> umems_;  // by core, over one area
  XskMemory memory_;
  std::unique_ptr<KernelPath> kernel_;
  std::optional<KernelLinks> links_;  // where links may be decided in the kernel
  std::vector<std::unique_ptr<AfXdpPort>> ports_;
};

}  // namespace

std::unique_ptr<DataPlane> make_af_xdp_plane(const Configuration& configuration, const PathSettings& settings,
                                             const TscClock& clock) {
  return std::make_unique<PathPlane<AfXdpPorts>>(std::make_unique<AfXdpPorts>(configuration, settings, clock), settings,
                                                 configuration, clock);
}

}  // namespace hilgate
