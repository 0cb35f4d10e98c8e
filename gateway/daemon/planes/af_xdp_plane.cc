// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/planes/af_xdp_plane.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

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

constexpr std::array<const char*, HG_CLASSES> kClassNames = {
    "ptp", "management", "arp", "nd", "ipv4", "ipv4_multicast", "ipv6", "ipv6_multicast", "other", "runt",
};

std::string state_text(PortState state) {
  switch (state) {
    case PortState::kUp:
      return "up";
    case PortState::kNoCarrier:
      return "no carrier";
    case PortState::kDown:
      return "down";
    case PortState::kAbsent:
      return "absent";
    case PortState::kRefused:
      break;
  }
  return "refused";
}

std::string mode_text(const AfXdpMode& mode) {
  if (mode.driver.empty()) {
    return "-";  // never there so far
  }
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

class AfXdpPorts {
 public:
  using Port = AfXdpPort;
  using Pool = Umem;

  AfXdpPorts(const Configuration& configuration, const PathSettings& settings, const TscClock& clock)
      : configs_(configuration.ports),
        umems_(Umem::over_cores({.chunks = configuration.memory.frames, .chunk_size = configuration.memory.frame_bytes},
                                configuration.cores.size())),
        memory_(*umems_.front(), kRingSize, false),
        kernel_(configured_kernel_path(configuration)) {
    if (configuration.kernel_links) {
      links_.emplace(*kernel_);
      links_->use(settings);
    }
    const std::vector<std::size_t> cores = core_of_ports(configuration);
    for (std::uint32_t i = 0; i < configs_.size(); ++i) {
      const KernelPort place{
          .path = kernel_.get(), .id = PortId{i}, .decides_links = configuration.kernel_links, .core = cores[i]};
      ports_.push_back(std::make_unique<AfXdpPort>(memory_, *umems_[cores[i]], configs_[i], clock, place));
      ports_.back()->close_off();
    }
    memory_.set_zero_copy(choose_zero_copy(configs_));
    for (const auto& port : ports_) {
      port->attend({});
    }
  }

  Umem& pool(std::size_t core) { return *umems_[core]; }
  AfXdpPort& port(std::size_t index) { return *ports_[index]; }
  [[nodiscard]] PortReport report(std::size_t index) const { return report(configs_[index], *ports_[index]); }
  [[nodiscard]] std::size_t bytes() const { return umems_.front()->memory_bytes(); }
  void enter_thread() {}
  void discipline() {}
  template <class Wake>
  std::vector<PortChange> attend(const LinkChanges& changes, Wake wake) {
    std::vector<PortChange> news;
    for (std::uint32_t i = 0; i < ports_.size(); ++i) {
      AfXdpPort& port = *ports_[i];
      if (port.link().state == PortState::kUp && !changes.concern(port.interface().index, configs_[i].interface)) {
        continue;
      }
      const PortLink before = port.link();
      try_to_attend(port, [wake, i] { wake(PortId{i}); });
      if (port.link() != before) {
        news.push_back({.now = report(configs_[i], port),
                        .plugged = port.link().state == PortState::kUp,
                        .was_plugged = before.state == PortState::kUp && before.interface == port.link().interface});
      }
    }
    return news;
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
  // Why it cannot be a port is in its link, and told once.
  static void try_to_attend(AfXdpPort& port, const AfXdpPort::Wake& wake) {
    try {
      port.attend(wake);
    } catch (const std::runtime_error&) {
      return;
    }
  }
  static PortReport report(const PortConfig& config, const AfXdpPort& port) {
    const AfXdpStatistics statistics = port.statistics();
    PortReport report{.name = config.name,
                      .interface = config.interface,
                      .state = state_text(port.link().state),
                      .problem = port.link().problem,
                      .mtu = port.link().mtu,
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
                          {"rx_dropped", statistics.sockets.rx_dropped},
                          {"rx_invalid", statistics.sockets.rx_invalid},
                          {"tx_invalid", statistics.sockets.tx_invalid},
                          {"rx_ring_full", statistics.sockets.rx_ring_full},
                          {"fill_ring_empty", statistics.sockets.fill_ring_empty},
                          {"tx_ring_empty", statistics.sockets.tx_ring_empty}});
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
