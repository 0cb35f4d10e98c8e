// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/report/link_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "rf_profiles/errors/packet_loss.h"
#include "rf_profiles/profile/rate_table.h"

namespace hilgate {
namespace {

constexpr std::uint32_t kLeastMtu = 68;        // of IPv4 (RFC 791)
constexpr std::uint32_t kInterfaceMtu = 1500;  // Ethernet, lab.mtu by default: what datagrams are cut for

PairGeometry geometry_of(const RadioProfile& profile, const LinkQuestion& question) {
  const bool is_base = profile.mac.cell && profile.mac.cell->base;
  return {.d2d_m = question.distance_m,
          .d3d_m = std::hypot(question.distance_m, question.height_m - question.other_height_m),
          .high_m = std::max(question.height_m, question.other_height_m),
          .low_m = std::min(question.height_m, question.other_height_m),
          .line_of_sight = question.walls.empty(),
          .base = pair_base(is_base && question.height_m >= question.other_height_m, is_base)};
}

std::string wall_names(const LinkQuestion& question) {
  if (question.walls.empty()) {
    return "in line of sight";
  }
  std::string names = "behind ";
  for (const Wall& wall : question.walls) {
    names += (&wall == &question.walls.front() ? "" : ", ") + wall.material.name;
  }
  return names;
}

/// What arrives of frames and datagrams.
void survive(const RadioProfile& profile, const LinkQuestion& question, const RadioMode& mode,
             std::span<const double> losses, LinkReport& report) {
  const double hazard = mode.hazard(report.sinr.value);
  double reach = 1;  // probability that a try is made
  for (std::uint32_t i = 0; i < profile.mac.tries; ++i) {
    report.mean_tries += reach;
    reach *= report.reachable ? losses[std::min<std::size_t>(i, losses.size() - 1)] : 1;
  }
  report.delivery = 1 - reach;
  if (report.reachable && profile.policy == ErrorPolicy::kCorruptRaw) {
    report.undetected_rate = undetected_damage(-std::expm1(-hazard), question.frame_bytes);
  }
  const std::uint32_t mtu = std::min(profile.mtu_bytes, kInterfaceMtu);
  report.fragments = ip_fragments(question.datagram_bytes, std::max(mtu, kLeastMtu));
  double fragment_loss = 1;
  const std::vector<double> of_fragment =
      losses_of_tries(mode, profile, report.sinr.value, mtu + PhyMode::kEthernetHeader);
  for (std::uint32_t i = 0; i < profile.mac.tries && report.reachable; ++i) {
    fragment_loss *= of_fragment[std::min<std::size_t>(i, of_fragment.size() - 1)];
  }
  report.datagram_delivery = fragment_delivery(report.fragments, fragment_loss);
}

}  // namespace

LinkReport report_link(const RadioProfile& profile, const LinkQuestion& question) {
  return report_link(profile, RateTable(profile), question);
}

LinkReport report_link(const RadioProfile& profile, const RateTable& rates, const LinkQuestion& question) {
  const RadioPhy& phy = profile.phy;
  LinkReport report;
  report.path_loss = path_loss(profile.channel.path_loss, geometry_of(profile, question), phy.frequency);
  for (const Wall& wall : question.walls) {
    report.wall_loss += Decibels{WallLoss(wall.material, phy.frequency).db({0, wall.thickness_m, 0})};
  }
  report.rssi = phy.sent_and_gained() - report.path_loss - report.wall_loss;
  report.noise = phy.noise_floor();
  report.snr = report.rssi - report.noise;
  report.sinr = question.interferers.empty()
                    ? report.snr
                    : sinr(report.rssi, report.noise, question.interferers, question.interference_weight);

  const RateTable::Choice choice = rates.unicast(report.sinr);
  const RadioMode& mode = phy.modes[choice.mode];
  const double hazard = mode.hazard(report.sinr.value);
  const RadioMode& multicast = phy.modes[profile.mac.multicast_mode];
  report.mode = mode.name;
  report.rate_bps = mode.phy.rate_bps;
  report.frame_error_rate = frame_error_rate(hazard, static_cast<double>(mode.phy.error_bits(question.frame_bytes)));
  report.multicast_error_rate = frame_error_rate(multicast.hazard(report.sinr.value),
                                                 static_cast<double>(multicast.phy.error_bits(question.frame_bytes)));
  report.reachable = report.sinr >= rates.least_usable_snr() && report.rssi >= phy.sensitivity.value_or(report.rssi);
  const std::vector<double> losses = losses_of_tries(mode, profile, report.sinr.value, question.frame_bytes);
  survive(profile, question, mode, losses, report);
  // Of network packets: some radios do not carry the Ethernet header, and it is nobody's payload.
  const double packet_share = 1.0 - static_cast<double>(PhyMode::kEthernetHeader) / question.frame_bytes;
  const double goodput = profile.mac.combining
                             ? expected_goodput_bps(mode.phy, profile.mac, question.frame_bytes, losses)
                             : aggregated_goodput_bps(mode.phy, profile.mac, question.frame_bytes, hazard);
  report.goodput_bps = report.reachable ? packet_share * goodput : 0;
  report.air_time_s = std::chrono::duration<double>(mode.phy.air_time(question.frame_bytes)).count();
  return report;
}

std::string link_sentence(const RadioProfile& profile, const LinkQuestion& question, const LinkReport& report) {
  const std::string where = fmt::format("{} at {:g} m {}", profile.id, question.distance_m, wall_names(question));
  const char* const ratio = question.interferers.empty() ? "SNR" : "SINR";
  if (!report.reachable) {
    return fmt::format("{}: out of range ({:.1f} dBm, {} {:.1f} dB)", where, report.rssi.value, ratio,
                       report.sinr.value);
  }
  return fmt::format(
      "{}: {:.1f} dBm, {} {:.1f} dB, {} at {:.4g} Mbit/s, {:.3g} % of tries lost ({}), about {:.3g} Mbit/s", where,
      report.rssi.value, ratio, report.sinr.value, report.mode, report.rate_bps / 1e6, 100 * report.frame_error_rate,
      profile.phy.error_model, report.goodput_bps / 1e6);
}

}  // namespace hilgate
