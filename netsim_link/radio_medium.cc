// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/radio_medium.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "rf_profiles/low_rate_error.h"
#include "rf_profiles/normal.h"

namespace hilgate {
namespace {

double distance(const Vec3& a, const Vec3& b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

Nanoseconds propagation(double distance_m) {
  return Nanoseconds{std::llround(distance_m / kLightSpeed * 1e9)};
}

/// Losses that a ray tracer has computed: the powers of all paths add. The loss of a path is that of its last point.
double traced_loss_db(const std::vector<Path>& paths) {
  double power = 0;
  for (const Path& path : paths) {
    power += path.empty() ? 0 : ratio_of_db(-path.back().loss_db);
  }
  return power > 0 ? -db_of(power) : kMostWallLossDb;
}

constexpr std::size_t kTile = 16;                                   // members
constexpr std::uint64_t kHardwareSalt = 0x68'61'72'64'77'61'72'65;  // "hardware"
constexpr std::uint64_t kSightSalt = 0x73'69'67'68'74'00'00'00;     // "sight"

/// A draw of sight lasts as long as the shadowing does.
Shadowing drawn_sight(const RadioChannel& channel) {
  const double correlation_m = channel.shadowing.any() ? channel.shadowing.los.correlation_m : 10;
  return channel.draws_sight ? Shadowing{{1, correlation_m}, {1, correlation_m}} : Shadowing{};
}

}  // namespace

RadioMedium::RadioMedium(std::vector<MediumMember> members, const std::vector<Material>& materials, std::size_t robots,
                         std::uint64_t seed, std::shared_ptr<const Survey> survey)
    : channel_(members.front().profile->channel),
      carrier_(members.front().profile->phy.frequency_hz),
      // Numbered as in the scene, so that a pair's shadowing does not depend on who else is on the medium.
      shadows_(channel_.shadowing, pair_count(robots), seed),
      sights_(drawn_sight(channel_), pair_count(robots), seed ^ kSightSalt),
      fading_(channel_.fading, carrier_.hz, pair_count(robots), seed),
      robots_(robots) {
  if (survey) {
    surveyed_.emplace(std::move(survey), carrier_.hz, pair_count(robots), seed);
  }
  for (const Material& material : materials) {
    walls_.emplace_back(material, carrier_.hz);
  }
  std::map<const RadioProfile*, std::shared_ptr<const RateTable>> tables;
  std::map<const RadioProfile*, std::shared_ptr<Minstrel>> learners;
  for (MediumMember& radio : members) {
    const RadioPhy& phy = radio.profile->phy;
    auto& table = tables[radio.profile.get()];
    if (!table) {
      table = std::make_shared<const RateTable>(*radio.profile);
    }
    auto& learner = learners[radio.profile.get()];
    if (!learner && radio.profile->mac.rate_control.type == RateControl::Type::kMinstrel) {
      learner = std::make_shared<Minstrel>(*radio.profile, robots * robots, seed);
    }
    members_.push_back({.radio = radio,
                        .rates = table,
                        .learner = learner,
                        .position = {},
                        .moved_m = 0,
                        .heading_rad = 0,
                        .sends_dbm = phy.tx_power_dbm + phy.tx_gain_dbi - phy.cable_loss_db,
                        .hears_dbi = phy.rx_gain_dbi - phy.cable_loss_db,
                        .noise_dbm = phy.noise_floor_dbm(),
                        .sensitivity_dbm = phy.sensitivity_dbm.value_or(-std::numeric_limits<double>::infinity())});
    spread_hardware(members_.back(), seed);
  }
}

void RadioMedium::spread_hardware(Member& member, std::uint64_t seed) {
  const std::optional<HardwareVariance>& variance = member.radio.profile->phy.hardware;
  if (!variance) {
    return;
  }
  const HardwareSpread spread = hardware_spread(variance->noise_db2, variance->covariance_db2, variance->power_db2);
  FrameRandom random(seed ^ kHardwareSalt, member.radio.robot.value(), 0);
  const double first = draw_normal(random);
  const double second = draw_normal(random);
  member.noise_dbm += spread.t11 * first;
  member.sends_dbm += spread.t12 * first + spread.t22 * second;
}

void RadioMedium::link_states(const Scene& scene, std::vector<LinkState>& links) {
  move_members(scene);
  const std::size_t members = members_.size();
  // Square by square, because links of one receiver lie a row of the table apart.
  for (std::size_t high = 0; high < members; high += kTile) {
    for (std::size_t low = 0; low <= high; low += kTile) {
      update_tile(scene, {low, std::min(low + kTile, members)}, {high, std::min(high + kTile, members)}, links);
    }
  }
}

void RadioMedium::update_tile(const Scene& scene, Span lows, Span highs, std::vector<LinkState>& links) {
  for (std::size_t high = highs.begin; high < highs.end; ++high) {
    const std::size_t end = std::min(lows.end, high);
    for (std::size_t low = lows.begin; low < end; ++low) {
      update_pair(scene, members_[low], members_[high], links);
    }
  }
}

void RadioMedium::update_pair(const Scene& scene, const Member& low, const Member& high,
                              std::vector<LinkState>& links) {
  const RobotId one = low.radio.robot;
  const RobotId other = high.radio.robot;
  const std::size_t pair = pair_index(one, other);
  const PairLoss loss = loss_between(low, high, pair, scene.sights[pair]);
  LinkState& there = links[link_of(one, other, robots_).value()];
  there = state_of(low, high, loss);
  // What radios of one profile are to one another does not depend on who sends, unless each is a bit different or
  // learns.
  LinkState& back = links[link_of(other, one, robots_).value()];
  back = low.radio.profile == high.radio.profile && !low.radio.profile->phy.hardware && !low.learner
             ? there
             : state_of(high, low, loss);
}

void RadioMedium::move_members(const Scene& scene) {
  for (Member& member : members_) {
    const Vec3& now = scene.robots[member.radio.robot.value()].position;
    if (!std::isfinite(now.x) || !std::isfinite(now.y) || !std::isfinite(now.z)) {
      throw std::runtime_error(fmt::format("the scene puts robot {} at ({}, {}, {}) m; finite numbers are needed",
                                           member.radio.robot.value(), now.x, now.y, now.z));
    }
    member.moved_m = moved_before_ ? distance(member.position, now) : 0;
    member.heading_rad = std::atan2(now.y - member.position.y, now.x - member.position.x);
    member.position = now;
  }
  passed_s_ = moved_before_ ? std::chrono::duration<double>(scene.at - at_).count() : 0;
  at_ = scene.at;
  moved_before_ = true;
}

RadioMedium::PairLoss RadioMedium::loss_between(const Member& low, const Member& high, std::size_t pair,
                                                const Sight& sight) {
  const Vec3& a = low.position;
  const Vec3& b = high.position;
  const double moved_m = low.moved_m + high.moved_m;
  PairGeometry geometry{.d2d_m = std::hypot(a.x - b.x, a.y - b.y),
                        .d3d_m = distance(a, b),
                        .high_m = std::max(a.z, b.z),
                        .low_m = std::min(a.z, b.z),
                        .line_of_sight = sight.line_of_sight};
  if (channel_.draws_sight) {
    geometry.line_of_sight = sight.line_of_sight && draw_sight(geometry, pair, moved_m);
  }
  SurveyedAir::Path surveyed;
  if (surveyed_) {
    surveyed = surveyed_->update(pair, {a, low.moved_m, low.heading_rad}, {b, high.moved_m, high.heading_rad});
    geometry.line_of_sight = geometry.line_of_sight && surveyed.walls_db == 0;
  }
  const bool in_sight = geometry.line_of_sight;
  const double fading_db = surveyed_ ? surveyed.fading_db : fading_.update(pair, moved_m, passed_s_, in_sight);
  const double varies_db = shadows_.update(pair, moved_m, in_sight) - fading_db;
  if (!sight.paths.empty()) {
    return {traced_loss_db(sight.paths) + varies_db, in_sight, propagation(geometry.d3d_m)};
  }
  double loss_db = path_loss_db(channel_.path_loss, geometry, carrier_) + varies_db + surveyed.walls_db;
  for (const WallCrossing& wall : sight.walls) {
    loss_db += wall_of(wall).db(wall);
  }
  return {loss_db, in_sight, propagation(geometry.d3d_m)};
}

bool RadioMedium::draw_sight(const PairGeometry& geometry, std::size_t pair, double moved_m) {
  const double uniform = 0.5 * std::erfc(-sights_.update(pair, moved_m, true) / std::sqrt(2.0));
  return uniform < line_of_sight_probability(channel_.path_loss, geometry);
}

const WallLoss& RadioMedium::wall_of(const WallCrossing& wall) const {
  if (wall.material >= walls_.size()) {
    throw std::runtime_error(fmt::format("the scene names material {}, but there are only {}, numbered from 0",
                                         wall.material, walls_.size()));
  }
  return walls_[wall.material];
}

RateTable::Choice RadioMedium::choose(const Member& sender, const Member& receiver, double snr_db) {
  if (!sender.learner) {
    return sender.rates->unicast(snr_db);
  }
  const std::size_t link = link_of(sender.radio.robot, receiver.radio.robot, robots_).value();
  const auto intervals = static_cast<std::uint64_t>(at_.time_since_epoch() / Minstrel::kInterval);
  const std::uint8_t mode = sender.learner->mode(link, intervals, snr_db, *sender.rates);
  return {mode, sender.rates->hazard_in(mode, snr_db)};
}

LinkState RadioMedium::state_of(const Member& sender, const Member& receiver, const PairLoss& loss) {
  const double rssi_dbm = sender.sends_dbm + receiver.hears_dbi - loss.db;
  const double snr_db = rssi_dbm - receiver.noise_dbm;
  const RateTable& rates = *sender.rates;
  const RateTable::Choice choice = choose(sender, receiver, snr_db);
  LinkState state{.unicast = {choice.hazard},
                  .multicast = {rates.multicast_hazard(snr_db)},
                  .delay = loss.propagation + sender.radio.profile->mac.latency,
                  .rssi_dbm = static_cast<float>(rssi_dbm),
                  .snr_db = static_cast<float>(snr_db),
                  .unicast_mode = sender.radio.plan_modes[choice.mode],
                  .multicast_mode = sender.radio.plan_modes[rates.multicast_mode()],
                  .reachable = snr_db >= rates.least_usable_snr_db() && rssi_dbm >= receiver.sensitivity_dbm,
                  .line_of_sight = loss.line_of_sight};
  if (sender.radio.profile->policy == ErrorPolicy::kArq) {
    const double ack_dbm = receiver.sends_dbm + sender.hears_dbi - loss.db;
    state.ack_loss = ack_dbm < sender.sensitivity_dbm ? 1 : rates.ack_loss(choice.mode, ack_dbm - sender.noise_dbm);
  }
  if (sender.radio.profile->mac.combining) {
    for (unsigned repeat = 0; repeat < state.combined.size(); ++repeat) {
      state.combined[repeat] = static_cast<float>(rates.combined_hazard(choice.mode, snr_db, repeat + 1));
    }
  }
  return state;
}

}  // namespace hilgate
