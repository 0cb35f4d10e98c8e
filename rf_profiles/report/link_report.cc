// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/report/link_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "config/svg_plot.h"
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

namespace {

constexpr int kPoints = 201;
constexpr double kFarthest = 1e6;  // m

/// The distance from which on even the last is lost, rounded up to 1, 2 or 5 times a power of ten.
double end_of_range(const RadioProfile& profile, const RateTable& rates, LinkQuestion question) {
  for (double decade = 1; decade < kFarthest; decade *= 10) {
    for (const double step : {1.0, 2.0, 5.0}) {
      question.distance_m = decade * step;
      if (question.distance_m > 1 && !report_link(profile, rates, question).reachable) {
        return question.distance_m;
      }
    }
  }
  return kFarthest;
}

constexpr PlotBox kBox{60, 40, 640, 320};

std::string curve_svg(const SvgPlot& picture, const RangePlot& plot, std::size_t index) {
  const RangeCurve& curve = plot.curves[index];
  const double hue = 300.0 * static_cast<double>(index) / static_cast<double>(plot.curves.size());
  const std::string colour = fmt::format("hsl({:.0f},70%,40%)", hue);
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < plot.distance_m.size(); ++i) {
    points.emplace_back(plot.distance_m[i], curve.error_rate[i]);
  }
  return picture.line(points, colour, curve.name == "chosen" ? 3 : 1.5) +
         svg_text(kBox.left + kBox.width + 12, kBox.top + 14 + 18 * static_cast<double>(index), curve.name,
                  fmt::format("fill='{}'", colour));
}

}  // namespace

RangePlot plot_range(const RadioProfile& profile, LinkQuestion question) {
  RangePlot plot;
  plot.title = fmt::format("{}: loss of a frame of {} bytes in one try ({})", profile.id, question.frame_bytes,
                           profile.phy.error_model);
  const RateTable rates(profile);
  const double end_m = end_of_range(profile, rates, question);
  for (const std::size_t mode : profile.mac.rate_control.modes) {
    plot.curves.push_back({profile.phy.modes[mode].name, {}});
  }
  plot.curves.push_back({"chosen", {}});
  for (int i = 0; i < kPoints; ++i) {
    question.distance_m = std::pow(end_m, static_cast<double>(i) / (kPoints - 1));
    plot.distance_m.push_back(question.distance_m);
    const LinkReport report = report_link(profile, rates, question);
    std::size_t curve = 0;
    for (const std::size_t index : profile.mac.rate_control.modes) {
      const RadioMode& mode = profile.phy.modes[index];
      const auto bits = static_cast<double>(mode.phy.error_bits(question.frame_bytes));
      plot.curves[curve++].error_rate.push_back(frame_error_rate(mode.hazard(report.snr.value), bits));
    }
    plot.curves[curve].error_rate.push_back(report.reachable ? report.frame_error_rate : 1);
  }
  return plot;
}

std::string range_svg(const RangePlot& plot) {
  const SvgPlot picture(
      kBox, {.least = plot.distance_m.front(), .most = plot.distance_m.back(), .logarithmic = true, .unit = "m"},
      {.steps = 2, .has_lines = false});
  std::string svg = picture.axes();
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    svg += curve_svg(picture, plot, i);
  }
  return svg_picture(820, 420, plot.title, svg);
}

}  // namespace hilgate
