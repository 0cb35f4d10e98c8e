// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/link_budget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "rf_profiles/errors/effective_sinr.h"
#include "rf_profiles/errors/low_rate_error.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/numeric/normal.h"
#include "rf_profiles/profile/cqi_levels.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kHardwareSalt = 0x68'61'72'64'77'61'72'65;  // "hardware"
constexpr std::size_t kMostModes = 256;                             // an index of LinkState has eight bits
constexpr double kDisturbs = 10;  // dB below a receiver's noise: weaker signals do not disturb others

Nanoseconds propagation(double distance_m) {
  return Nanoseconds{static_cast<std::int64_t>(distance_m * (1e9 / kLightSpeed) + 0.5)};
}

}  // namespace

LinkBudget::LinkBudget(std::vector<MediumMember> members, std::size_t robots, std::uint64_t seed) : robots_(robots) {
  std::map<const RadioProfile*, std::shared_ptr<const RateTable>> tables;
  std::map<const RadioProfile*, std::shared_ptr<Minstrel>> learners;
  for (MediumMember& radio : members) {
    const RadioProfile& profile = *radio.profile;
    const RadioPhy& phy = profile.phy;
    auto& table = tables[&profile];
    if (!table) {
      table = std::make_shared<const RateTable>(profile);
    }
    auto& learner = learners[&profile];
    if (!learner && profile.mac.rate_control.type == RateControl::Type::kMinstrel) {
      learner = std::make_shared<Minstrel>(profile, robots * robots, seed);
    }
    Member member{.radio = std::move(radio),
                  .rates = table,
                  .learner = learner,
                  .sends = phy.tx_power + phy.tx_gain - phy.cable_loss,
                  .receive_gain = phy.rx_gain - phy.cable_loss,
                  .own_noise = phy.noise_floor(),
                  .sensitivity = phy.sensitivity.value_or(Dbm{-std::numeric_limits<double>::infinity()}),
                  .least_snr = table->least_usable_snr(),
                  .latency = profile.mac.latency,
                  .combines = profile.mac.combining.has_value(),
                  .acknowledged = profile.policy == ErrorPolicy::kArq,
                  .spread = phy.link_spread};
    if (member.spread) {
      member.spread->seed = seed;
    }
    member.multicast_mode = member.radio.plan_modes[table->multicast_mode()];
    spread_hardware(member, seed);
    member.noise = member.own_noise;
    members_.push_back(std::move(member));
  }
  const Member& first = members_.front();
  are_alike_ = tables.size() == 1 && !first.radio.profile->phy.hardware && !first.learner && !first.spread;
  is_symmetric_ = are_alike_;
}

void LinkBudget::spread_hardware(Member& member, std::uint64_t seed) {
  const std::optional<HardwareVariance>& variance = member.radio.profile->phy.hardware;
  if (!variance) {
    return;
  }
  const HardwareSpread spread = hardware_spread(variance->noise_db2, variance->covariance_db2, variance->power_db2);
  FrameRandom random(seed ^ kHardwareSalt, member.radio.robot.value(), 0);
  const double first = draw_normal(random);
  const double second = draw_normal(random);
  member.own_noise += Decibels{spread.t11 * first};
  member.sends += Decibels{spread.t12 * first + spread.t22 * second};
}

bool LinkBudget::learns() const {
  return std::any_of(members_.begin(), members_.end(), [](const Member& member) { return member.learner != nullptr; });
}

LinkBudget::Limits LinkBudget::limits() const {
  Dbm sent{-std::numeric_limits<double>::infinity()};
  Decibels least_snr{std::numeric_limits<double>::infinity()};
  Decibels antenna{0};
  for (const Member& member : members_) {
    sent = std::max(sent, member.sends);
    least_snr = std::min(least_snr, member.least_snr);
    antenna = std::max(antenna, greatest_gain(member.radio.profile->phy.antenna));
  }
  double audible = -std::numeric_limits<double>::infinity();
  double disturbing = audible;
  for (const Member& member : members_) {
    Dbm least = std::max(member.own_noise + least_snr, member.sensitivity);
    if (const std::optional<Dbm>& senses = member.radio.profile->mac.carrier_sense) {
      least = std::min(least, *senses);
    }
    const Dbm strongest = sent + member.receive_gain + antenna + antenna;
    audible = std::max(audible, (strongest - least).value);
    disturbing = std::max(disturbing, (strongest - member.own_noise).value + kDisturbs);
  }
  return {.audible_db = audible, .disturbing_db = disturbing};
}

void LinkBudget::change(std::vector<double> path_loss_db, bool has_jammers) {
  path_loss_db_ = std::move(path_loss_db);
  find_symmetry(has_jammers);
  for (Member& member : members_) {
    member.noise = member.own_noise;
  }
}

void LinkBudget::find_symmetry(bool has_jammers) {
  is_symmetric_ = are_alike_ && !has_jammers && path_loss_db_.empty() && !measured_.any();
}

void LinkBudget::measure(std::size_t sender, std::size_t receiver, std::shared_ptr<const TraceSchedule> trace) {
  const Member& sends = members_[sender];
  measured_.add(link_of(sends.radio.robot, members_[receiver].radio.robot, robots_), robots_ * robots_,
                std::move(trace), cqi_levels(*sends.radio.profile, *sends.rates));
  is_symmetric_ = false;
}

void LinkBudget::set_jamming(std::size_t member, double power_mw) {
  members_[member].noise = level_of_milliwatts(milliwatts(members_[member].own_noise) + power_mw);
}

inline Decibels LinkBudget::loss_from(const Member& sender, const Member& receiver, double pair_db) const {
  if (!path_loss_db_.empty()) {
    const double given = path_loss_db_[link_of(sender.radio.robot, receiver.radio.robot, robots_).value()];
    if (!std::isnan(given)) {
      return {given};
    }
  }
  return {pair_db};
}

inline LinkBudget::Signal LinkBudget::signal(const Member& sender, const Member& receiver, double pair_db) const {
  if (const auto sinr = measured_.of(link_of(sender.radio.robot, receiver.radio.robot, robots_).value())) {
    return {receiver.own_noise + *sinr, *sinr};
  }
  const Dbm rssi = sender.sends + receiver.receive_gain - loss_from(sender, receiver, pair_db);
  return {rssi, rssi - receiver.noise};
}

RateTable::Choice LinkBudget::learnt(const Member& sender, const Member& receiver, const ModeSnrs& snrs, SimTime at) {
  const std::size_t link = link_of(sender.radio.robot, receiver.radio.robot, robots_).value();
  const std::uint8_t mode = sender.learner->mode(link, Minstrel::intervals_at(at), snrs, *sender.rates);
  return {mode, sender.rates->hazard_in(mode, snrs.of(mode)), sender.learner->probing_ns(link)};
}

void LinkBudget::spread(LinkState& state, const Member& sender, const Member& receiver) const {
  if (sender.spread) {
    const double own = sender.spread->own(link_of(sender.radio.robot, receiver.radio.robot, robots_).value());
    state.unicast.per_bit = sender.spread->hazard(state.unicast.per_bit, own);
    state.multicast.per_bit = sender.spread->hazard(state.multicast.per_bit, own);
  }
}

// Field by field, where it stays: a state that is made elsewhere and copied waits for its own small stores.
inline void LinkBudget::set_state(LinkState& state, const Member& sender, const Member& receiver, const Level& level,
                                  const RateTable::Choice& choice, Decibels snr_of_mode) {
  state.unicast = {choice.hazard};
  state.probing_ns = choice.probing_ns;
  state.multicast = {level.answer.multicast_hazard};
  state.delay = propagation(level.distance_m) + sender.latency;
  state.rssi_dbm = static_cast<float>(level.rssi.value);
  state.snr_db = static_cast<float>(level.snr.value);
  state.unicast_mode = sender.radio.plan_modes[choice.mode];
  state.multicast_mode = sender.multicast_mode;
  state.reachable = level.snr >= sender.least_snr && level.rssi >= receiver.sensitivity;
  state.line_of_sight = level.line_of_sight;
  state.ack_loss = 0;
  state.combined = {};
  if (sender.combines) {
    for (unsigned repeat = 0; repeat < state.combined.size(); ++repeat) {
      state.combined[repeat] = static_cast<float>(sender.rates->combined_hazard(choice.mode, snr_of_mode, repeat + 1));
    }
  }
}

void LinkBudget::set_link(LinkState& state, const Member& sender, const Member& receiver, const MediumTile& tile,
                          std::size_t i, SimTime at) {
  const RateTable& rates = *sender.rates;
  const auto [rssi, snr] = signal(sender, receiver, tile.loss_db[i]);
  const Level level{rssi, snr, rates.at(snr), tile.pairs.d3d_m[i], tile.pairs.line_of_sight[i] != 0};
  const RateTable::Choice choice = sender.learner ? learnt(sender, receiver, snr, at) : level.answer.unicast;
  set_state(state, sender, receiver, level, choice, snr);
  spread(state, sender, receiver);
  if (sender.acknowledged) {
    const Signal ack = signal(receiver, sender, tile.loss_db[i]);
    state.ack_loss = ack.rssi < sender.sensitivity ? 1 : rates.ack_loss(choice.mode, ack.snr);
  }
}

void LinkBudget::set_link_over_band(LinkState& state, const Member& sender, const Member& receiver,
                                    const MediumTile& tile, std::size_t i, SimTime at) {
  const RateTable& rates = *sender.rates;
  const std::vector<RadioMode>& modes = sender.radio.profile->phy.modes;
  const auto [rssi, snr] = signal(sender, receiver, tile.loss_db[i]);
  const auto in_mode = [&](double beta, Decibels mean) {
    return beta > 0 ? effective_sinr(tile.gains_of(i), mean, beta) : mean;
  };
  std::array<Decibels, kMostModes> snrs;
  for (std::size_t mode = 0; mode < modes.size(); ++mode) {
    snrs[mode] = in_mode(modes[mode].beta, snr);
  }
  const ModeSnrs seen(std::span<const Decibels>(snrs.data(), modes.size()));
  const Level level{rssi, snr, rates.among(seen), tile.pairs.d3d_m[i], tile.pairs.line_of_sight[i] != 0};
  const RateTable::Choice choice = sender.learner ? learnt(sender, receiver, seen, at) : level.answer.unicast;
  set_state(state, sender, receiver, level, choice, seen.of(choice.mode));
  spread(state, sender, receiver);
  if (sender.acknowledged) {
    const Signal ack = signal(receiver, sender, tile.loss_db[i]);
    const Decibels ack_snr = in_mode(modes[choice.mode].ack_beta, ack.snr);
    state.ack_loss = ack.rssi < sender.sensitivity ? 1 : rates.ack_loss(choice.mode, ack_snr);
  }
}

// A measured SINR has the receiver's band in it.
void LinkBudget::fill_over_band(MediumTile& tile, SimTime at) {
  const auto set = [&](LinkState& state, const Member& sender, const Member& receiver, std::size_t i) {
    if (measured_.of(link_of(sender.radio.robot, receiver.radio.robot, robots_).value())) {
      set_link(state, sender, receiver, tile, i, at);
    } else {
      set_link_over_band(state, sender, receiver, tile, i, at);
    }
  };
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    const Member& low = members_[tile.low(i)];
    const Member& high = members_[tile.high(i)];
    set(tile.there[i], low, high, i);
    if (!is_symmetric_) {
      set(tile.back[i], high, low, i);
    }
  }
}

// All members have the first one's parameters, and an acknowledgement is received as well as its frame.
void LinkBudget::fill_alike(MediumTile& tile) const {
  const Member& any = members_.front();
  const RateTable& rates = *any.rates;
  const Dbm sent = any.sends + any.receive_gain;
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    const Dbm rssi = sent - Decibels{tile.loss_db[i]};
    const Decibels snr = rssi - any.noise;
    const RateTable::Place place = rates.place_of(snr);
    const Level level{rssi, snr, rates.at(place), tile.pairs.d3d_m[i], tile.pairs.line_of_sight[i] != 0};
    LinkState& state = tile.there[i];
    set_state(state, any, any, level, level.answer.unicast, snr);
    if (any.acknowledged) {
      state.ack_loss = rssi < any.sensitivity ? 1 : rates.ack_loss(level.answer.unicast.mode, place);
    }
  }
}

void LinkBudget::fill(MediumTile& tile, SimTime at) {
  if (tile.frequencies > 0) {
    fill_over_band(tile, at);
    return;
  }
  if (is_symmetric_) {
    fill_alike(tile);
    return;
  }
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    const Member& low = members_[tile.low(i)];
    const Member& high = members_[tile.high(i)];
    set_link(tile.there[i], low, high, tile, i, at);
    set_link(tile.back[i], high, low, tile, i, at);
  }
}

}  // namespace hilgate
