// SPDX-License-Identifier: Apache-2.0
// Stations that do not all hear one another. Each goes by the power it receives itself: it defers to senders above the
// carrier-sense threshold and knows nothing of the others (hidden stations); an ALOHA station hears nobody. What was on
// the air together is decided at the receiver: half duplex, a station that sends receives nothing; else the frame needs
// its mode's SINR over noise and all who overlapped with it anywhere, as if all did all the time (radio-models 2, 8.3).
//
// Acknowledgements keep those away who hear the sender, by the frame's duration field, or the receiver (10.3.2.4); they
// and RTS and CTS (medium_handshake.cc) are met by those only who send when they begin.
#include <algorithm>
#include <cmath>

#include "gateway/medium/medium.h"
#include "gateway/medium/medium_rules.h"
#include "rf_profiles/numeric/decibel.h"

namespace hilgate {

bool Medium::overlap(Domain& domain, HostTime now) {
  HostTime next_end = HostTime::max();
  HostTime next_access = HostTime::max();
  std::uint32_t ends = 0;
  for (const std::uint32_t member : domain.members) {
    const Contender& station = contenders_[member];
    if (station.sending) {
      if (station.on_air_until < next_end) {
        next_end = station.on_air_until;
        ends = member;
      }
    } else if (station.head != kNoNode) {
      next_access = std::min(next_access, overlap_access(domain, station));
    }
  }
  if (std::min(next_end, next_access) > now) {
    return false;
  }
  domain.idle_from = std::min(next_end, next_access);
  if (next_end <= next_access) {
    end_overlapping(domain, contenders_[ends]);
  } else {
    begin_overlapping(domain, next_access);
  }
  return true;
}

HostTime Medium::overlap_access(const Domain& domain, const Contender& station) const {
  const AirJob& head = jobs_[station.head];
  const HostTime counted_down = station.idle_from + domain.rules.difs + domain.rules.slot * station.backoff;
  const HostTime access = std::max({counted_down, head.arrived, domain.idle_from});
  return station.rules.duty.drops ? access : within_budget(station, access, head.air_time);
}

// All whose turn is the same instant: none of them hears the others in time.
void Medium::begin_overlapping(Domain& domain, HostTime at) {
  for (const std::uint32_t member : domain.members) {
    Contender& station = contenders_[member];
    if (!station.sending && station.head != kNoNode && overlap_access(domain, station) == at &&
        !over_budget(station, at)) {
      domain.winners.push_back(member);
    }
  }
  for (const std::uint32_t winner : domain.winners) {
    Contender& sender = contenders_[winner];
    const Exchange exchange = begin_exchange(sender);
    sender.backoff = 0;
    sender.backing_off = false;
    sender.exchange = exchange;
    sender.announcing = exchange.announced();
    sender.on_air_until = at + (exchange.announced() ? exchange.rts : exchange.frame);
    sender.met.clear();
    for (const std::uint32_t member : domain.members) {
      Contender& other = contenders_[member];
      if (other.sending) {
        sender.met.push_back(other.robot);
        if (std::find(other.met.begin(), other.met.end(), sender.robot) == other.met.end()) {
          other.met.push_back(sender.robot);
        }
      }
    }
    sender.sending = true;
    domain.add_busy(exchange.announced() ? exchange.rts : exchange.frame + exchange.ack);
    spend(sender, at, exchange.frame);
    sender.idle_from = at + exchange.first();
  }
  for (const std::uint32_t winner : domain.winners) {
    const Contender& sender = contenders_[winner];
    be_heard(domain, sender.robot, sender, at, sender.idle_from);
  }
  domain.winners.clear();
}

// Who hears `robot` finds the medium busy from `at` to `until`; `but` knows better.
void Medium::be_heard(Domain& domain, std::uint32_t robot, const Contender& but, HostTime at, HostTime until) {
  for (const std::uint32_t member : domain.members) {
    Contender& station = contenders_[member];
    if (station.sending || &station == &but || !hears(domain.rules, robot, station.robot)) {
      continue;
    }
    const Nanoseconds idle = at - (station.idle_from + domain.rules.difs);
    if (idle.count() > 0) {
      const std::int64_t slots = slots_in(idle, domain.rules);
      station.backing_off = station.backing_off && slots < station.backoff;
      station.backoff -= static_cast<std::uint32_t>(std::min<std::int64_t>(slots, station.backoff));
    }
    station.idle_from = std::max(station.idle_from, until);
    defer_if_busy(domain, station);
  }
}

void Medium::end_overlapping(Domain& domain, Contender& station) {
  if (station.announcing) {
    return end_announcement(domain, station);
  }
  station.sending = false;
  const AirJob& head = jobs_[station.head];
  const bool group = head.to == AirJob::kGroup;
  Outcome outcome = Outcome::kClean;
  if (!group && !survives(station.robot, head.to, modes_[head.mode].needed_snr_db, station.met)) {
    outcome = Outcome::kSpoiled;
  } else if (!group && head.ack.count() > 0 && (head.failing_tries == 0 || station.rules.aggregation.frames > 1)) {
    outcome = gets_back(domain, station) ? Outcome::kClean : Outcome::kUnheard;
    be_heard(domain, head.to, station, station.on_air_until, station.on_air_until + station.exchange.ack);
  }
  end_exchange(station, domain, station.on_air_until, outcome);
  if (group) {
    finished_.back().met = station.met;
  }
}

bool Medium::hears(const AirDomain& rules, std::uint32_t from, std::uint32_t to) const {
  return !std::isinf(rules.carrier_sense_dbm) && signals_.power_dbm(from, to) >= rules.carrier_sense_dbm;
}

bool Medium::survives(std::uint32_t from, std::uint32_t to, double needed_snr_db,
                      std::span<const std::uint32_t> met) const {
  if (met.empty()) {
    return true;
  }
  const LinkState* const link = signals_.between(from, to);
  if (link == nullptr || std::find(met.begin(), met.end(), to) != met.end()) {
    return false;
  }
  const std::uint32_t own = contender_of_[from] != kNone ? contender_of_[from] : contender_of_[to];
  const double weight = own != kNone ? domains_[contenders_[own].domain].rules.interference_weight : 1;
  double disturbance = ratio_of_db(static_cast<double>(link->rssi_dbm) - static_cast<double>(link->snr_db));
  for (const std::uint32_t other : met) {
    disturbance += weight * ratio_of_db(static_cast<double>(signals_.power_dbm(other, to)));
  }
  return static_cast<double>(link->rssi_dbm) - db_of(disturbance) >= needed_snr_db;
}

// ---- duty cycle: a budget that fills up with `share` of the time that passes, and holds no more than a period's ----

HostTime Medium::within_budget(const Contender& station, HostTime at, Nanoseconds length) const {
  const DutyCycle& duty = station.rules.duty;
  if (duty.share >= 1 || length <= station.credit) {
    return at;
  }
  // What is longer than a whole budget goes when the budget is full.
  const Nanoseconds missing = std::min(length, budget(duty)) - station.credit;
  const double wait = std::ceil(static_cast<double>(missing.count()) / duty.share);
  return std::max(at, station.credit_at + Nanoseconds{static_cast<std::int64_t>(wait)});
}

void Medium::spend(Contender& station, HostTime at, Nanoseconds length) {
  const DutyCycle& duty = station.rules.duty;
  if (duty.share < 1) {
    const double earned = duty.share * static_cast<double>((at - station.credit_at).count());
    const auto most = static_cast<double>(budget(duty).count());
    const double now = std::min(most, static_cast<double>(station.credit.count()) + earned);
    station.credit = Nanoseconds{static_cast<std::int64_t>(now)} - length;
    station.credit_at = at;
  }
}

// True when the frame at the head was given up for it.
bool Medium::over_budget(Contender& station, HostTime at) {
  AirJob& head = jobs_[station.head];
  if (!station.rules.duty.drops || within_budget(station, at, head.air_time) <= at) {
    return false;
  }
  head.done = true;
  head.lost = DropReason::kDutyCycle;
  hand_over_received(station, head.to, at);
  return true;
}

}  // namespace hilgate
