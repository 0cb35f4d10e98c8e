// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/af_xdp_report.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>

namespace hilgate {
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

ReleaseTimestamps timestamps_of(const AfXdpPort& port) {
  const StampStatistics stamps = port.stamps();
  return {.source = stamps.source == StampSource::kDriver   ? "driver"
                    : stamps.source == StampSource::kKernel ? "kernel"
                                                            : "none",
          .problem = stamps.problem,
          .requested = stamps.totals.requested,
          .missing = stamps.totals.missing,
          .unusable = stamps.totals.unusable,
          .early = stamps.totals.early,
          .latest = stamps.totals.latest,
          .margin = stamps.margin,
          .errors = stamps.totals.errors};
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
      .arrival_times = "the XDP program",
      .release_times = "the packet loop",
      .timestamps = timestamps_of(port),
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
