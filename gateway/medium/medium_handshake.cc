// SPDX-License-Identifier: Apache-2.0
// Acknowledgements that are lost, and RTS/CTS (IEEE 802.11-2020, 10.3.2.5, 10.3.2.7, 10.3.2.9, 10.3.4.4).
//
// A frame whose acknowledgement is lost was received and is handed over; its sender repeats it, with a longer window,
// until it hears of it or has no tries left, and the receiver drops what it has already (10.3.2.14). Acknowledgements
// meet noise by LinkState::ack_loss and, where stations overlap, those that send when the frame ends. Errors that
// configuration adds to links leave them alone. It does nothing for group frames, modes without acknowledgement and
// packets in pieces.
//
// RTS and CTS stand in front of frames above the station's threshold; both take part in the frame's tries. Who hears
// either waits until the acknowledgement is over (10.3.2.4); an RTS without answer reserves no more than itself and the
// CTS that did not come. Who has heard such a reservation gives no CTS. Stations are kept away by whom they hear, at
// carrier sense, decoded or not.
#include <algorithm>
#include <cmath>

#include "gateway/medium/medium.h"
#include "gateway/medium/medium_rules.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {
namespace {

// The loss of a frame of `bits`, from that of one of `known_bits` in the same mode.
double loss_of(double bits, double known_loss, double known_bits) {
  return known_loss > 0 && known_bits > 0 ? 1 - std::pow(1 - known_loss, bits / known_bits) : 0;
}

}  // namespace

bool Medium::happens(Contender& station, double probability) {
  return probability > 0 &&
         FrameRandom(seed_, kStationStream | station.robot, station.draws++).uniform() <= probability;
}

// ---- acknowledgements ----

// Whether a frame on the air is received, if nobody disturbs it. A repeat of one that was received is drawn anew.
bool Medium::comes_through(Contender& station, AirJob& job) {
  if (job.received) {
    const LinkState* const link = signals_.between(station.robot, job.to);
    const double hazard = link != nullptr ? link->unicast.per_bit : 0;
    const double bits = hazard > 0 ? static_cast<double>(modes_[job.mode].air_bits(job.length)) : 0;
    return hazard == 0 || !happens(station, -std::expm1(-bits * hazard));
  }
  if (job.failing_tries > 0) {
    --job.failing_tries;
    return false;
  }
  return true;
}

bool Medium::noise_takes_ack(Contender& station, bool joined) {
  const AirJob& head = jobs_[station.head];
  if (head.to == AirJob::kGroup || head.ack.count() == 0 || head.pieces > 1) {
    return false;
  }
  const LinkState* const link = signals_.between(station.robot, head.to);
  if (link == nullptr || link->ack_loss == 0) {
    return false;
  }
  const PhyMode& mode = modes_[head.mode];
  return happens(station, joined ? loss_of(mode.block_ack_bits, link->ack_loss, mode.ack_bits)
                                 : static_cast<double>(link->ack_loss));
}

// ---- RTS and CTS ----

void Medium::announce(const Contender& station, const AirJob& head, std::uint64_t joint_bytes,
                      Exchange& exchange) const {
  if (station.rules.rts_above == Station::kNever || head.to == AirJob::kGroup) {
    return;
  }
  const PhyMode& mode = modes_[head.mode];
  const auto alone = static_cast<std::int64_t>(head.length) + mode.overhead_bytes;
  const std::int64_t bytes = joint_bytes > 0 ? static_cast<std::int64_t>(joint_bytes) : alone;
  if (bytes > station.rules.rts_above) {
    exchange.rts = mode.rts;
    exchange.answer = mode.ack;
    exchange.sifs = mode.sifs;
  }
}

// The CTS goes the way of acknowledgements, and the RTS that of those for frames of the other direction.
bool Medium::noise_takes_announcement(Contender& station) {
  const AirJob& head = jobs_[station.head];
  const LinkState* const there = signals_.between(station.robot, head.to);
  const LinkState* const back = signals_.between(head.to, station.robot);
  if (there == nullptr || back == nullptr) {
    return false;
  }
  const PhyMode& mode = modes_[head.mode];
  const double rts = loss_of(mode.rts_bits, back->ack_loss, mode.ack_bits);
  return happens(station, 1 - (1 - rts) * (1 - static_cast<double>(there->ack_loss)));
}

// kOverlap: the RTS is over. With an answer the frame follows.
void Medium::end_announcement(Domain& domain, Contender& station) {
  const HostTime at = station.on_air_until;
  const Exchange& exchange = station.exchange;
  const AirJob& head = jobs_[station.head];
  const std::uint32_t receiver = head.to < contender_of_.size() ? contender_of_[head.to] : kNone;
  const bool met = !survives(station.robot, head.to, modes_[head.mode].control_snr_db, station.met) ||
                   (receiver != kNone && contenders_[receiver].reserved_until > at) || !gets_back(domain, station);
  station.announcing = false;
  if (met || noise_takes_announcement(station)) {
    station.sending = false;
    return end_exchange(station, domain, at, met ? Outcome::kSpoiled : Outcome::kUnanswered);
  }
  station.on_air_until = at + exchange.answer + exchange.sifs + exchange.frame;
  station.idle_from = station.on_air_until + exchange.ack;
  domain.add_busy(station.idle_from - at);
  station.met.clear();
  note_sending(domain, station, station.met);
  reserve(domain, station, head.to);
}

// Who hears the sender's RTS or the receiver's CTS waits for the end of the exchange.
void Medium::reserve(Domain& domain, const Contender& station, std::uint32_t receiver) {
  const HostTime at = station.idle_from - (station.exchange.length() - station.exchange.rts);
  for (const std::uint32_t member : domain.members) {
    Contender& other = contenders_[member];
    if (&other != &station && !other.sending &&
        (hears(domain.rules, station.robot, other.robot) || hears(domain.rules, receiver, other.robot))) {
      other.reserved_until = std::max(other.reserved_until, station.idle_from);
    }
  }
  be_heard(domain, station.robot, station, at, station.idle_from);
  be_heard(domain, receiver, station, at, station.idle_from);
}

// Whether what the receiver says gets back to `station`, for all who send now.
bool Medium::gets_back(Domain& domain, const Contender& station) {
  note_sending(domain, station, domain.winners);
  const AirJob& head = jobs_[station.head];
  const bool back =
      domain.winners.empty() || survives(head.to, station.robot, modes_[head.mode].control_snr_db, domain.winners);
  domain.winners.clear();
  return back;
}

void Medium::note_sending(const Domain& domain, const Contender& but, std::vector<std::uint32_t>& robots) const {
  for (const std::uint32_t member : domain.members) {
    if (contenders_[member].sending && &contenders_[member] != &but) {
      robots.push_back(contenders_[member].robot);
    }
  }
}

}  // namespace hilgate
