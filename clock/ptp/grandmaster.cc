// SPDX-License-Identifier: Apache-2.0
#include "clock/ptp/grandmaster.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

namespace hilgate {

bool is_better_master(const PtpAnnounce& a, const PtpAnnounce& b) {
  const auto rank = [](const PtpAnnounce& c) {
    return std::make_tuple(c.priority1, c.clock_class, c.accuracy, c.variance, c.priority2, c.grandmaster);
  };
  return rank(a) < rank(b);
}

void ForeignMasters::heard(HostTime now, const PortIdentity& source, const PtpAnnounce& announce) {
  const auto same = [&](const Foreign& foreign) { return foreign.source == source; };
  if (const auto found = std::find_if(known_.begin(), known_.end(), same); found != known_.end()) {
    found->before = found->last;
    found->last = now;
    found->announce = announce;
    return;
  }
  if (known_.size() == kMost) {
    const auto older = [](const Foreign& a, const Foreign& b) { return a.last < b.last; };
    known_.erase(std::min_element(known_.begin(), known_.end(), older));
  }
  known_.push_back({source, announce, now, std::nullopt});
}

bool ForeignMasters::qualifies(const Foreign& foreign, HostTime now) const {
  return foreign.before && foreign.last - *foreign.before <= window_ && now - foreign.last <= window_;
}

std::optional<PtpAnnounce> ForeignMasters::best(HostTime now) const {
  std::optional<PtpAnnounce> best;
  for (const Foreign& foreign : known_) {
    if (qualifies(foreign, now) && (!best || is_better_master(foreign.announce, *best))) {
      best = foreign.announce;
    }
  }
  return best;
}

std::size_t ForeignMasters::qualified(HostTime now) const {
  return static_cast<std::size_t>(
      std::count_if(known_.begin(), known_.end(), [&](const Foreign& foreign) { return qualifies(foreign, now); }));
}

namespace {

// 128 slaves at the fastest rate that linuxptp asks by default in its profiles, 8 a second.
constexpr std::uint32_t kMostAnswersPerSecond = 1024;
constexpr std::size_t kMostSlaves = 256;
constexpr Nanoseconds kRogueEvery = std::chrono::seconds(10);  // with another name each time it would fill the log

Nanoseconds interval(std::int8_t log_seconds) {
  return Nanoseconds{static_cast<std::int64_t>(std::ldexp(1e9, log_seconds))};
}

void check_log(std::string_view what, int value, int least) {
  if (value < least || value > 4) {
    throw std::runtime_error(
        fmt::format("clock: grandmaster: {} is {}; allowed: {} to 4 (log2 of seconds)", what, value, least));
  }
}

}  // namespace

void check(const GrandmasterOptions& options) {
  check_log("log_announce_interval", options.log_announce_interval, -4);
  check_log("log_sync_interval", options.log_sync_interval, -7);
  check_log("log_delay_interval", options.log_delay_interval, -7);
  if (options.announce_timeout < 2 || options.announce_timeout > 10) {
    throw std::runtime_error(fmt::format("clock: grandmaster: announce_timeout is {}; allowed: 2 to 10 intervals",
                                         options.announce_timeout));
  }
  if (options.domain > 127) {
    throw std::runtime_error(fmt::format("clock: grandmaster: domain is {}; allowed: 0 to 127", options.domain));
  }
}

std::vector<std::string> warnings(const GrandmasterOptions& options, double factor) {
  std::vector<std::string> result;
  // The kernel's tick goes from 9000 to 11000 us per 10 ms; beyond, a slave on CLOCK_REALTIME reports SLAVE and runs
  // away.
  if (options.answer == DelayAnswer::kServed && (factor < 0.9 || factor > 1.1)) {
    result.push_back(fmt::format(
        "factor {} differs from 1 by more than 10 %, the limit of a slave that steers its system clock; such a slave "
        "reports SLAVE while its offset grows (limit for a vclock of a hardware clock: 50 %)",
        factor));
  }
  if (options.answer == DelayAnswer::kUnit && factor == 1) {
    result.emplace_back("`answer: unit` has no effect at factor 1");
  }
  return result;
}

Grandmaster::Grandmaster(const GrandmasterOptions& options, const ClockIdentity& identity, HostTime now, Send send,
                         ServedTime served, ClockEvents& events)
    : options_(options),
      identity_{identity, 1},
      send_(std::move(send)),
      // linuxptp takes a timestamp of exactly 0 for a missing one, and a clock paused at its epoch shows just that.
      served_([served = std::move(served)](HostTime host) { return std::max(served(host), PtpTime{Nanoseconds{1}}); }),
      events_(events),
      foreign_(interval(options.log_announce_interval)),
      listen_until_(now + options.announce_timeout * interval(options.log_announce_interval)),
      next_announce_(listen_until_),
      next_sync_(listen_until_) {
  check(options);
  options_.announce.grandmaster = identity;
  options_.announce.steps_removed = 0;
}

HostTime Grandmaster::next() const {
  return state_ == PtpPortState::kMaster ? std::min(next_announce_, next_sync_) : next_announce_;
}

void Grandmaster::tick(HostTime now) {
  if (now >= next_announce_) {
    elect(now);
    announce();
    next_announce_ = std::max(next_announce_ + interval(options_.log_announce_interval), now);
  }
  if (state_ == PtpPortState::kMaster && now >= next_sync_) {
    sync();
    // After a long sleep it resumes from now instead of catching up.
    next_sync_ = std::max(next_sync_ + interval(options_.log_sync_interval), now);
  }
}

void Grandmaster::elect(HostTime now) {
  const auto best = foreign_.best(now);
  const bool beaten = best && is_better_master(*best, options_.announce);
  if (beaten && options_.rule == MasterRule::kYield) {
    become(PtpPortState::kPassive, now, to_string(best->grandmaster) + " is a better master");
    return;
  }
  if (beaten && rogue_ != best->grandmaster && (!rogue_told_ || now - *rogue_told_ >= kRogueEvery)) {
    rogue_ = best->grandmaster;
    rogue_told_ = now;
    events_.record(now, ClockEventKind::kRogueMaster,
                   fmt::format("{} announces a better clock (priority1 {}, class {}); hilgate stays master",
                               to_string(best->grandmaster), best->priority1, best->clock_class));
  } else if (!beaten) {
    rogue_.reset();
  }
  if (now >= listen_until_) {
    become(PtpPortState::kMaster, now, "no better master announces itself");
  }
}

void Grandmaster::become(PtpPortState state, HostTime now, const std::string& why) {
  if (state == state_) {
    return;
  }
  state_ = state;
  next_sync_ = now;
  sync_pending_ = false;
  last_sync_.reset();
  events_.record(now, state == PtpPortState::kMaster ? ClockEventKind::kBecameMaster : ClockEventKind::kYielded, why);
}

PtpHeader Grandmaster::header(std::uint16_t sequence, std::int8_t log_interval) const {
  PtpHeader result;
  result.transport_specific = options_.transport_specific;
  result.domain = options_.domain;
  result.source = identity_;
  result.sequence = sequence;
  result.log_interval = log_interval;
  return result;
}

void Grandmaster::put(const PtpMessage& message, std::uint64_t& counter) {
  ++(send_(message) ? counter : counters_.unsent);
}

void Grandmaster::announce() {
  if (state_ == PtpPortState::kMaster) {
    PtpHeader head = header(announce_sequence_++, options_.log_announce_interval);
    head.flags = options_.flags;
    put(make_announce(head, options_.announce), counters_.announces);
  }
}

void Grandmaster::sync() {
  counters_.missing_stamps += sync_pending_ ? 1 : 0;
  PtpHeader head = header(++sync_sequence_, options_.log_sync_interval);
  head.flags = kPtpTwoStep;
  // Before sending: the stamp may come back while send_ runs.
  sync_pending_ = true;
  put(make_sync(head), counters_.syncs);
}

void Grandmaster::sent(std::span<const std::byte> message, HostTime stamp) {
  const auto head = parse_ptp_header(message);
  if (!head || head->source != identity_) {
    return;
  }
  if (head->type == PtpType::kSync && sync_pending_ && head->sequence == sync_sequence_) {
    follow_up(*head, stamp);
  } else if (head->type == PtpType::kPdelayResp) {
    follow_up_peer_delay(message, *head, stamp);
  }
}

void Grandmaster::follow_up(const PtpHeader& sync, HostTime stamp) {
  sync_pending_ = false;
  last_sync_ = stamp;
  put(make_follow_up(header(sync.sequence, options_.log_sync_interval), served_(stamp)), counters_.follow_ups);
}

void Grandmaster::received(std::span<const std::byte> message, HostTime stamp, HostTime now) {
  const auto head = parse_ptp_header(message);
  if (!head) {
    ++counters_.malformed;
    return;
  }
  const bool ours = head->source.clock == identity_.clock;
  if (ours || head->domain != options_.domain || head->transport_specific != options_.transport_specific) {
    ++counters_.ignored;
    return;
  }
  switch (head->type) {
    case PtpType::kAnnounce:
      take_announce(message, *head, now);
      break;
    case PtpType::kDelayReq:
      answer_delay(*head, stamp, now);
      break;
    case PtpType::kPdelayReq:
      answer_peer_delay(*head, stamp, now);
      break;
    default:
      ++counters_.ignored;
  }
}

void Grandmaster::take_announce(std::span<const std::byte> message, const PtpHeader& header, HostTime now) {
  const auto announce = parse_announce(message);
  // Steps removed of 255 is a clock that goes round in circles (9.3.2.5); our own name is our own time come back.
  if (!announce || announce->steps_removed >= 255 || announce->grandmaster == identity_.clock) {
    ++counters_.ignored;
    return;
  }
  ++counters_.foreign_announces;
  foreign_.heard(now, header.source, *announce);
  elect(now);
}

bool Grandmaster::may_answer(HostTime now) {
  if (now - second_ >= std::chrono::seconds{1}) {
    second_ = now;
    answers_ = 0;
  }
  if (answers_ >= kMostAnswersPerSecond) {
    ++counters_.limited;
    return false;
  }
  ++answers_;
  return true;
}

PtpTime Grandmaster::unit_time(HostTime host) const {
  return served_(*last_sync_) + (host - *last_sync_);
}

void Grandmaster::answer_delay(const PtpHeader& request, HostTime stamp, HostTime now) {
  if (state_ != PtpPortState::kMaster || options_.mechanism != DelayMechanism::kEndToEnd || !last_sync_) {
    ++counters_.ignored;
    return;
  }
  if (!may_answer(now)) {
    return;
  }
  note_slave(request.source, now);
  PtpHeader head = header(request.sequence, options_.log_delay_interval);
  head.correction = request.correction;
  const PtpTime t4 = options_.answer == DelayAnswer::kUnit ? unit_time(stamp) : served_(stamp);
  put(make_delay_resp(head, t4, request.source), counters_.delay_answers);
}

void Grandmaster::answer_peer_delay(const PtpHeader& request, HostTime stamp, HostTime now) {
  if (options_.mechanism != DelayMechanism::kPeerToPeer) {
    ++counters_.ignored;
    return;
  }
  if (!may_answer(now)) {
    return;
  }
  note_slave(request.source, now);
  requests_[next_request_++ % requests_.size()] = Request{request.source, request.sequence, stamp};
  PtpHeader head = header(request.sequence, 0x7f);
  head.flags = kPtpTwoStep;
  put(make_pdelay_resp(head, served_(stamp), request.source), counters_.delay_answers);
}

void Grandmaster::follow_up_peer_delay(std::span<const std::byte> response, const PtpHeader& response_header,
                                       HostTime stamp) {
  const auto requester = parse_requester(response);
  for (auto& request : requests_) {
    if (request && request->requester == requester && request->sequence == response_header.sequence) {
      // The slave subtracts what we needed from what it took in all; which clock that is in must be its own.
      const PtpTime t2 = served_(request->received);
      const PtpTime t3 = options_.answer == DelayAnswer::kUnit ? t2 + (stamp - request->received) : served_(stamp);
      put(make_pdelay_resp_follow_up(header(request->sequence, 0x7f), t3, request->requester), counters_.follow_ups);
      request.reset();
      return;
    }
  }
}

void Grandmaster::note_slave(const PortIdentity& slave, HostTime now) {
  const auto same = [&](const Slave& known) { return known.identity == slave; };
  const auto found = std::find_if(slaves_.begin(), slaves_.end(), same);
  if (found != slaves_.end()) {
    found->last = now;
  } else if (slaves_.size() < kMostSlaves) {
    slaves_.push_back({slave, now});
  } else {  // made-up names push one another out; a slave that is there comes back with its next request
    const auto heard = [](const Slave& known) { return known.last; };
    *std::ranges::min_element(slaves_, {}, heard) = {slave, now};
  }
}

std::size_t Grandmaster::slaves(HostTime now) const {
  return static_cast<std::size_t>(std::count_if(slaves_.begin(), slaves_.end(), [&](const Slave& slave) {
    return now - slave.last <= std::chrono::seconds{10};
  }));
}

}  // namespace hilgate
