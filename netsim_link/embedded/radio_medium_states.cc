// SPDX-License-Identifier: Apache-2.0
// From losses between members of a medium to the states of their links.
#include "netsim_link/embedded/radio_medium.h"

namespace hilgate {
namespace {

Nanoseconds propagation(double distance_m) {
  return Nanoseconds{static_cast<std::int64_t>(distance_m * (1e9 / kLightSpeed) + 0.5)};
}

}  // namespace

RateTable::Choice RadioMedium::learnt(const Member& sender, const Member& receiver, Decibels snr) {
  const std::size_t link = link_of(sender.radio.robot, receiver.radio.robot, robots_).value();
  const auto intervals = static_cast<std::uint64_t>(at_.time_since_epoch() / Minstrel::kInterval);
  const std::uint8_t mode = sender.learner->mode(link, intervals, snr, *sender.rates);
  return {mode, sender.rates->hazard_in(mode, snr)};
}

// Field by field, where it stays: a state that is made elsewhere and copied waits for its own small stores.
inline void RadioMedium::set_state(LinkState& state, const Member& sender, const Member& receiver, const Level& level,
                                   const RateTable::Choice& choice) {
  state.unicast = {choice.hazard};
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
      state.combined[repeat] = static_cast<float>(sender.rates->combined_hazard(choice.mode, level.snr, repeat + 1));
    }
  }
}

void RadioMedium::set_link(LinkState& state, const Member& sender, const Member& receiver, const MediumTile& tile,
                           std::size_t i) {
  const RateTable& rates = *sender.rates;
  const Dbm rssi = sender.sends + receiver.hears - loss_from(sender, receiver, tile.loss_db[i]);
  const Decibels snr = rssi - receiver.noise;
  const Level level{rssi, snr, rates.at(snr), tile.pairs.d3d_m[i], tile.pairs.line_of_sight[i] != 0};
  const RateTable::Choice choice = sender.learner ? learnt(sender, receiver, snr) : level.answer.unicast;
  set_state(state, sender, receiver, level, choice);
  if (sender.acknowledged) {
    const Dbm ack = receiver.sends + sender.hears - loss_from(receiver, sender, tile.loss_db[i]);
    state.ack_loss = ack < sender.sensitivity ? 1 : rates.ack_loss(choice.mode, ack - sender.noise);
  }
}

// What is said of one member is so of all, and an acknowledgement comes as its frame does.
void RadioMedium::fill_alike(MediumTile& tile) const {
  const Member& any = members_.front();
  const RateTable& rates = *any.rates;
  const Dbm sent = any.sends + any.hears;
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    const Dbm rssi = sent - Decibels{tile.loss_db[i]};
    const Decibels snr = rssi - any.noise;
    const RateTable::Place place = rates.place_of(snr);
    const Level level{rssi, snr, rates.at(place), tile.pairs.d3d_m[i], tile.pairs.line_of_sight[i] != 0};
    LinkState& state = tile.there[i];
    set_state(state, any, any, level, level.answer.unicast);
    if (any.acknowledged) {
      state.ack_loss = rssi < any.sensitivity ? 1 : rates.ack_loss(level.answer.unicast.mode, place);
    }
  }
}

void RadioMedium::fill_states(MediumTile& tile) {
  if (alike_) {
    fill_alike(tile);
    return;
  }
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    const Member& low = members_[tile.low(i)];
    const Member& high = members_[tile.high(i)];
    set_link(tile.there[i], low, high, tile, i);
    set_link(tile.back[i], high, low, tile, i);
  }
}

}  // namespace hilgate
