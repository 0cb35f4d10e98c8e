// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/link_reading.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "physics_link/foreign_numbers.h"

namespace hilgate {
namespace {

// JSON has no infinite numbers, and readers of a status expect a number.
float readable(float db) {
  return static_cast<float>(bounded_decibels(static_cast<double>(db)).value_or(0));
}

LinkReading read_state(const LinkState& state, const AirPlan& air) {
  constexpr std::uint32_t kFullFrame = 1514;
  constexpr std::uint32_t kShortestFrame = PhyMode::kEthernetHeader + 1;
  const PhyMode& mode = air.modes[state.unicast_mode];
  return {.reachable = state.reachable,
          .line_of_sight = state.line_of_sight,
          .has_radio = state.rssi_dbm != 0 || state.snr_db != 0,
          .rssi_dbm = readable(state.rssi_dbm),
          .snr_db = readable(state.snr_db),
          .rate_mbps = mode.rate_bps / 1e6,
          .frame_loss = -std::expm1(-state.unicast.per_bit * static_cast<double>(mode.error_bits(kFullFrame))),
          .least_loss = -std::expm1(-state.unicast.per_bit * static_cast<double>(mode.error_bits(kShortestFrame))),
          .delay = state.delay};
}

// Appends `next` to the part of the way already passed.
void pass(LinkReading& way, const LinkReading& next) {
  way.reachable = way.reachable && next.reachable;
  way.line_of_sight = way.line_of_sight && next.line_of_sight;
  way.has_radio = true;
  way.rssi_dbm = next.rssi_dbm;
  way.snr_db = next.snr_db;
  way.rate_mbps = std::min(way.rate_mbps, next.rate_mbps);
  way.frame_loss = 1 - (1 - way.frame_loss) * (1 - next.frame_loss);
  way.least_loss = 1 - (1 - way.least_loss) * (1 - next.least_loss);
  way.delay += next.delay;
}

bool on_network(AirRole role) {
  return role == AirRole::kStation || role == AirRole::kWired;
}

LinkReading read_network(const LinkTable& table, const AirPlan& air, std::size_t ends, RobotIndex from, RobotIndex to) {
  const Attachment& sender = table.attachments[from.value()];
  const Attachment& receiver = table.attachments[to.value()];
  if (sender.state != Attachment::State::kAttached || receiver.state != Attachment::State::kAttached) {
    return {};
  }
  const auto hop = [&](RobotIndex one, RobotIndex other) {
    return read_state(table.links[link_of(one, other, ends).value()], air);
  };
  LinkReading way{.reachable = true, .rate_mbps = std::numeric_limits<double>::infinity()};
  if (air.role(from.value()) == AirRole::kStation) {
    pass(way, hop(from, sender.at.value()));
  }
  if (sender.at != receiver.at || !sender.at) {
    way.delay += air.distribution_delay;
  }
  if (air.role(to.value()) == AirRole::kStation) {
    pass(way, hop(receiver.at.value(), to));
  }
  if (!way.has_radio) {
    way.rate_mbps = 0;
  }
  return way;
}

LinkReading read_mesh(const LinkTable& table, const AirPlan& air, RobotIndex from, RobotIndex to) {
  if (!table.routes->next_hop(from, to)) {
    LinkReading none = read_state(table.links[link_of(from, to, table.routes->ends).value()], air);
    none.reachable = false;
    return none;
  }
  std::vector<RobotIndex> way = table.routes->relays(from, to);
  way.push_back(to);
  LinkReading sum{.reachable = true, .rate_mbps = std::numeric_limits<double>::infinity()};
  for (const RobotIndex next : way) {
    pass(sum, read_state(table.links[link_of(from, next, table.routes->ends).value()], air));
    from = next;
  }
  return sum;
}

bool in_one_mesh(const LinkTable& table, const AirPlan& air, std::size_t ends, RobotIndex from, RobotIndex to) {
  if (table.routes == nullptr || table.routes->ends != ends || air.stations.size() != ends) {
    return false;
  }
  const auto& sender = air.stations[from.value()];
  const auto& receiver = air.stations[to.value()];
  return sender && receiver && sender->domain == receiver->domain && air.domains[sender->domain].mesh;
}

}  // namespace

LinkReading read_link(const LinkTable& table, const AirPlan& air, std::size_t ends, RobotIndex from, RobotIndex to) {
  const bool network = on_network(air.role(from.value())) && on_network(air.role(to.value()));
  if (network && table.attachments.size() == ends) {
    return read_network(table, air, ends, from, to);
  }
  if (in_one_mesh(table, air, ends, from, to)) {
    return read_mesh(table, air, from, to);
  }
  return read_state(table.links[link_of(from, to, ends).value()], air);
}

}  // namespace hilgate
