// SPDX-License-Identifier: Apache-2.0
#include "gateway/dlep/dlep_links.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gateway/status/link_values.h"
#include "netsim_link/link_reading.h"

namespace hilgate {
namespace {

std::uint64_t rate_bps(const EffectiveLink& link) {
  return link.rate_mbps > 0 ? static_cast<std::uint64_t>(std::llround(link.rate_mbps * 1e6)) : DlepLinks::kNoLimit;
}

std::uint8_t quality(const EffectiveLink& link) {
  return static_cast<std::uint8_t>(std::lround(100 * (1 - std::clamp(link.loss, 0.0, 1.0))));
}

DlepMetrics metrics_of(const EffectiveLink& in, const EffectiveLink& out, std::uint32_t mtu) {
  DlepMetrics metrics{.receive_bps = rate_bps(in),
                      .transmit_bps = rate_bps(out),
                      .latency_us = static_cast<std::uint64_t>(std::ceil(microseconds_of(out.delay))),
                      .receive_quality = quality(in),
                      .transmit_quality = quality(out)};
  if (mtu > 0) {
    metrics.mtu = static_cast<std::uint16_t>(std::min<std::uint32_t>(mtu, std::numeric_limits<std::uint16_t>::max()));
  }
  return metrics;
}

void take_better(const DlepMetrics& other, bool first, DlepMetrics& best) {
  if (first) {
    best = other;
    return;
  }
  best.max_receive_bps = std::max(best.max_receive_bps, other.max_receive_bps);
  best.max_transmit_bps = std::max(best.max_transmit_bps, other.max_transmit_bps);
  best.receive_bps = std::max(best.receive_bps, other.receive_bps);
  best.transmit_bps = std::max(best.transmit_bps, other.transmit_bps);
  best.latency_us = std::min(best.latency_us, other.latency_us);
  best.receive_quality = std::max(best.receive_quality, other.receive_quality);
  best.transmit_quality = std::max(best.transmit_quality, other.transmit_quality);
  best.mtu = best.mtu && other.mtu ? std::max(best.mtu, other.mtu) : std::nullopt;
}

}  // namespace

DlepView DlepLinks::view(const Configuration& configuration, const AirPlan& air, const LinkTable& table, SimTime now,
                         RobotIndex robot) {
  DlepView view;
  const std::size_t ends = link_ends(configuration);
  const bool known_air = table.links.size() == ends * ends && air.rules.size() == ends * ends;
  const auto effective = [&](RobotIndex from, RobotIndex to) {
    return effective_link(air.rules[link_of(from, to, ends).value()], read_link(table, air, ends, from, to), now);
  };
  bool first = true;
  for (std::uint32_t i = 0; i < configuration.robots.size(); ++i) {
    const RobotIndex peer{i};
    const RobotConfig& other = configuration.robots[i];
    if (!are_linked(configuration, robot, peer)) {
      continue;
    }
    view.without_mac += other.macs.empty() ? 1 : 0;
    if (other.macs.empty() || !known_air) {
      continue;
    }
    const EffectiveLink in = effective(peer, robot);
    const EffectiveLink out = effective(robot, peer);
    Known& known = known_[other.macs.front()];
    known.up = std::max(in.loss, out.loss) < (known.up ? kLossDown : kLossUp);
    DlepMetrics metrics = metrics_of(in, out, air.rules[link_of(robot, peer, ends).value()].mtu_bytes);
    if (known.up) {
      known.max_receive_bps = std::max(known.max_receive_bps, metrics.receive_bps);
      known.max_transmit_bps = std::max(known.max_transmit_bps, metrics.transmit_bps);
    }
    metrics.max_receive_bps = std::max(known.max_receive_bps, metrics.receive_bps);
    metrics.max_transmit_bps = std::max(known.max_transmit_bps, metrics.transmit_bps);
    for (const MacAddress mac : other.macs) {
      DlepDestination& destination = view.destinations[mac];
      destination = {.up = known.up, .metrics = metrics};
      if (other.macs.size() == 1) {  // else it is not known which of them has which address
        destination.addresses = other.ips;
      }
    }
    if (known.up) {
      take_better(metrics, first, view.session);
      first = false;
    }
  }
  if (first) {
    view.session = {.max_receive_bps = kNoLimit, .max_transmit_bps = kNoLimit};
  }
  return view;
}

}  // namespace hilgate
