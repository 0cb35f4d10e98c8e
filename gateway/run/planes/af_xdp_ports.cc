// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/af_xdp_ports.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <thread>

#include "gateway/configuration/frame_memory.h"
#include "gateway/run/planes/configured_kernel_path.h"
#include "host/large_pages.h"

namespace hilgate {
namespace {

// What zero-copy is decided by.
std::vector<PortConfig> interfaces_among(std::vector<PortConfig> ports) {
  std::erase_if(ports, [](const PortConfig& port) { return port.driver != PortDriver::kAfXdp; });
  return ports;
}

}  // namespace

AfXdpPorts::AfXdpPorts(const Configuration& configuration, const PathSettings& settings, const PortPlan& plan,
                       const TscClock& clock)
    : clock_(clock),
      frames_(configuration.memory),
      decides_links_(configuration.kernel_links),
      umems_(Umem::over_cores({.chunks = configuration.memory.frames, .chunk_size = configuration.memory.frame_bytes},
                              configuration.cores.size() + (own_gateway(configuration) != nullptr ? 1 : 0))),
      memory_(*umems_.front(), ring_entries(configuration.memory, plan.ports.size()), false),
      kernel_(configured_kernel_path(configuration)) {
  if (configuration.pace == Pace::kFollow) {
    memory_.leave_out_timestamps(kFollowedTime);
  }
  if (configuration.kernel_links) {
    links_.emplace(*kernel_);
    links_->use(settings);
  }
  for (std::size_t slot = 0; slot < plan.slots; ++slot) {
    places_.push_back({.lender = umems_.front()->add_port()});
  }
  {
    // The pages of frames are cleared while programs are verified; either takes a third of a second for 64 ports.
    const std::jthread clearing([area = umems_.front()->area()] { populate(area.data(), area.size()); });
    for (const PlannedPort& planned : plan.ports) {
      make(planned).close_off();
    }
  }
  const XskChoice choice = choose_mode(interfaces_among(configuration.ports), configuration.memory.frame_bytes);
  memory_.set_mode(choice.mode);
  if (!choice.advice.empty()) {
    spdlog::info("ports: frames are copied: {}; `memory: {{frame_size: 4096 B}}` or a smaller MTU is for zero-copy",
                 choice.advice);
  }
  for (const PlannedPort& planned : plan.ports) {
    port(planned.slot)->attend({});
  }
}

std::size_t AfXdpPorts::kernel_memory() const {
  std::size_t sockets = 0;
  for (const Place& place : places_) {
    sockets += place.port != nullptr && place.port->link().state == PortState::kUp ? place.port->mode().queues : 0;
  }
  return kernel_bytes(frames_, sockets);
}

void AfXdpPorts::discipline() {
  for (const Place& place : places_) {
    if (place.port != nullptr) {
      place.port->discipline();
    }
  }
}

// PTP passes from the moment on at which the packet loops have the change: no device may keep frames by then.
void AfXdpPorts::prepare(const PortPlan& plan) {
  for (const PlannedPort& planned : plan.ports) {
    if (AfXdpPort* const there = port(planned.slot); there != nullptr) {
      if (planned.config.ptp == PtpPassage::kTransparent) {
        there->set_ptp(PtpPassage::kTransparent);
      }
    } else {
      try {
        prepare(planned);
      } catch (const std::runtime_error& error) {
        cancel();
        throw std::runtime_error(fmt::format("ports.{}: {}", planned.config.name, error.what()));
      }
    }
  }
}

void AfXdpPorts::cancel() {
  for (Place& place : places_) {
    if (std::exchange(place.is_new, false)) {
      place.port->cancel();
      place.port.reset();
      place.tap.reset();
    } else if (place.port != nullptr) {
      place.port->set_ptp(place.config.ptp);
    }
  }
}

void AfXdpPorts::forget_removed(const PortPlan& plan) {
  for (std::uint32_t i = 0; i < places_.size(); ++i) {
    if (plan.at(PortSlot{i}) == nullptr) {
      places_[i].port.reset();
      places_[i].tap.reset();
    }
  }
}

void AfXdpPorts::check(const PathSettings& settings) const {
  if (kernel_) {
    kernel_->check_robots(kernel_robots(settings.robots));
  }
}

void AfXdpPorts::changed(const PathSettings& settings) {
  if (kernel_) {
    kernel_->set_robots(kernel_robots(settings.robots));
  }
  if (links_) {
    links_->use(settings);
  }
}

void AfXdpPorts::air_changed(const LinkTable& table, const KernelLinks::Held& held) {
  if (links_ && !observed_) {
    links_->decide(table, held);
  }
}

void AfXdpPorts::observe(bool on) {
  observed_ = on;
  if (links_ && on) {
    links_->suspend();
  }
}

void AfXdpPorts::add_to(PathTotals& totals) {
  if (links_) {
    links_->add_to(totals);
  }
}

void AfXdpPorts::add_to(LinkSlot link, LinkCounts& counts) {
  if (links_) {
    links_->add_to(link, counts);
  }
}

AfXdpPort& AfXdpPorts::make(const PlannedPort& planned) {
  Place& place = places_[planned.slot.value()];
  place.config = planned.config;
  if (planned.config.tap) {
    place.tap = std::make_unique<TapDevice>(planned.config.interface, planned.config.tap->user);
  }
  place.port = std::make_unique<AfXdpPort>(
      memory_, *umems_[planned.core], place.lender, planned.config, clock_,
      KernelPort{.path = kernel_.get(), .id = planned.slot, .decides_links = decides_links_, .core = planned.core});
  return *place.port;
}

// What can go wrong goes wrong here, while nothing has changed yet. An interface that is another port's until then
// cannot be looked at.
void AfXdpPorts::prepare(const PlannedPort& planned) {
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
void AfXdpPorts::check_memory(const PlannedPort& planned) const {
  const Umem& umem = *umems_[planned.core];
  std::uint32_t queues = 0;
  for (const Place& place : places_) {
    queues += place.port != nullptr && place.port->takes_from(umem) ? place.port->interface().rx_queues : 0;
  }
  if (const std::uint32_t wanted = queues * memory_.ring_size(); wanted > umem.own_chunks()) {
    throw std::runtime_error(
        fmt::format("{} rx queues of the ports that are then there need {} chunks of frame memory each; there are {} "
                    "(memory.frames)",
                    queues, memory_.ring_size(), umem.own_chunks()));
  }
}

namespace {

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
  if (!mode.vlan_offloads_off.empty()) {
    text += fmt::format(", turned off {}", mode.vlan_offloads_off);
  }
  return text;
}

ArrivalTimestamps arrivals_of(const AfXdpPort& port) {
  const ArrivalStatistics arrivals = port.arrivals();
  const bool driver = arrivals.source == ArrivalSource::kDriver;
  return {.source = driver ? "driver" : "kernel",
          .clock = driver ? arrivals.clock : "the XDP program",
          .problem = arrivals.problem,
          .count = arrivals.count,
          .missing = arrivals.missing,
          .unusable = arrivals.unusable,
          .margin = arrivals.margin};
}

}  // namespace

PortReport af_xdp_report(const PortConfig& config, const AfXdpPort& port) {
  const AfXdpStatistics statistics = port.statistics();
  PortReport report{
      .name = config.name,
      .interface = config.interface,
      .state = state_text(port.link().state),
      .problem = port.link().problem,
      .mtu = port.link().mtu,
      .driver = "af_xdp",
      .mode = mode_text(port.mode()),
      .arrivals = arrivals_of(port),
      .departures = port.stamps(),
      .largest_frame = port.mode().largest_frame,
      .counts = {},
      .lost_at_capture = {{"rx_dropped", statistics.sockets.rx_dropped},
                          {"rx_ring_full", statistics.sockets.rx_ring_full},
                          {"blocked", statistics.program.by_outcome[HG_OUTCOME_BLOCKED].frames},
                          {"no_socket", statistics.program.by_outcome[HG_OUTCOME_NO_SOCKET].frames},
                          {"oversize", statistics.oversize}},
      .lost_at_sending = {{"lost_at_send", statistics.lost_at_send}, {"tx_invalid", statistics.sockets.tx_invalid}}};
  for (std::size_t i = 0; i < HG_CLASSES; ++i) {
    report.counts.emplace_back(fmt::format("class_{}", kClassNames[i]), statistics.program.by_class[i].frames);
  }
  report.counts.insert(report.counts.end(), {{"to_kernel", statistics.program.by_outcome[HG_OUTCOME_KERNEL].frames},
                                             {"to_socket", statistics.program.by_outcome[HG_OUTCOME_SOCKET].frames},
                                             {"no_socket", statistics.program.by_outcome[HG_OUTCOME_NO_SOCKET].frames},
                                             {"wired", statistics.program.by_outcome[HG_OUTCOME_WIRED].frames},
                                             {"blocked", statistics.program.by_outcome[HG_OUTCOME_BLOCKED].frames},
                                             {"spoofed", statistics.program.by_outcome[HG_OUTCOME_SPOOFED].frames},
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

}  // namespace hilgate
