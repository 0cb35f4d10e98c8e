// SPDX-License-Identifier: Apache-2.0
#include "path/air/transmitters.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "path/air/access_methods.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/numeric/random.h"
#include "rf_profiles/phy/spreading.h"

namespace hilgate {
namespace {

/// Keeps stations' draws apart from links' draws, which use their LinkSlot as stream, and those of a station's
/// categories from one another.
std::uint32_t stream_of(const Transmitter& transmitter) {
  constexpr std::uint32_t kStationStream = 0x8000'0000;
  constexpr unsigned kCategoryShift = 24;
  return kStationStream | static_cast<std::uint32_t>(transmitter.category) << kCategoryShift | transmitter.robot;
}

// A base station has a queue for every receiver, and one for groups.
std::size_t queue_count(const Station& station, const AirPlan& plan) {
  return station.base ? 1 + plan.stations.size() : station.edca ? kAccessCategories : 1;
}

// The station as one of its categories: with the time that it waits of its own.
Station of_category(Station station, AccessCategory category, const AirDomain& domain) {
  constexpr std::uint32_t kDifsSlots = 2;
  if (station.edca) {
    station.more_ifs = domain.slot * ((*station.edca)[static_cast<std::size_t>(category)].aifsn - kDifsSlots);
  }
  return station;
}

bool may_overlap(const AirPlan& plan) {
  return std::ranges::any_of(plan.domains, [](const AirDomain& domain) {
    using enum MediumAccess;
    return domain.access == kDcf || domain.access == kOverlappingDcf || domain.access == kUnslottedCsma ||
           domain.access == kAloha;
  });
}

std::size_t all_queues(const AirPlan& plan) {
  std::size_t sum = 0;
  for (const auto& station : plan.stations) {
    sum += station ? station->queue_frames * queue_count(*station, plan) : 0;
  }
  return sum;
}

}  // namespace

Transmitters::Transmitters(const AirPlan& plan, std::uint64_t seed, std::size_t least)
    : seed_(seed),
      modes_(plan.modes),
      errors_(plan.errors),
      first_of_(plan.stations.size()),
      jobs_(std::max(all_queues(plan), least)),
      powers_(may_overlap(plan) ? plan.stations.size() : 0) {
  errors_.resize(modes_.size());
  std::size_t results = 0;  // of one event
  for (std::uint32_t robot = 0; robot < plan.stations.size(); ++robot) {
    if (!plan.stations[robot]) {
      continue;
    }
    Station station = *plan.stations[robot];
    station.base = station.base && plan.role(robot) == AirRole::kNone;
    const AirDomain& domain = plan.domains.at(station.domain);
    for (std::size_t queue = 0; queue < queue_count(station, plan); ++queue) {
      const bool of_receiver = station.base && queue > 0;
      const auto category = station.edca ? static_cast<AccessCategory>(queue) : AccessCategory::kBestEffort;
      transmitters_.push_back({.robot = robot,
                               .domain = station.domain,
                               .receiver = of_receiver ? static_cast<std::uint32_t>(queue - 1) : AirJob::kGroup,
                               .category = category,
                               .contention_window = station.edca ? (*station.edca)[queue].cw_min : domain.cw_min,
                               .interferers = {},
                               .credit = full_budget(station.duty),
                               .station = of_category(station, category, domain)});
      results += std::max(station.queue_frames, 1U);
    }
  }
  for (Transmitter& transmitter : transmitters_) {
    if (transmitter.receiver == AirJob::kGroup && transmitter.category == AccessCategory::kBestEffort) {
      first_of_[transmitter.robot] = &transmitter;
    }
  }
  results_.reserve(std::max(results, capacity()));
  others_mw_.reserve(2 * transmitters_.size());
}

bool Transmitters::append(Transmitter& transmitter, const AirJob& job) {
  const NodeIndex node = jobs_.take();
  if (node == kNoNode) {
    return false;
  }
  AirJob& added = jobs_[node];
  added = job;
  added.next = kNoNode;
  added.on_air = added.received_now = false;
  added.done = job.done && transmitter.station.aggregation.frames > 1;  // else what is in front goes first anyway
  (transmitter.empty() ? transmitter.head : jobs_[transmitter.tail].next) = node;
  transmitter.tail = node;
  ++transmitter.queued;
  transmitter.bytes_in.add(job.left);
  return true;
}

void Transmitters::remove(Transmitter& transmitter, NodeIndex before) {
  const NodeIndex job = before == kNoNode ? transmitter.head : jobs_[before].next;
  const NodeIndex next = jobs_[job].next;
  (before == kNoNode ? transmitter.head : jobs_[before].next) = next;
  if (transmitter.tail == job) {
    transmitter.tail = before;
  }
  --transmitter.queued;
  transmitter.bytes_out.add(jobs_[job].left);
  jobs_.give_back(job);
}

NodeIndex Transmitters::draw_waiting(Transmitter& transmitter) {
  FrameRandom random(seed_, stream_of(transmitter), transmitter.draws++);
  auto behind = static_cast<std::uint32_t>(random.below(transmitter.queued + 1));
  if (behind == transmitter.queued) {
    return kNoNode;
  }
  NodeIndex node = transmitter.head;
  for (; behind > 0; --behind) {
    node = jobs_[node].next;
  }
  return jobs_[node].bits_sent > 0 ? kNoNode : node;
}

void Transmitters::hand_over(AirJob& job, HostTime on_air_until) {
  if (!job.handed_over) {
    // A frame that is given up may not have met all that its fate has in store for it.
    const std::uint32_t unmet = job.lost ? job.failing_tries : 0;
    results_.push_back({.deliveries = job.deliveries,
                        .on_air_until = on_air_until,
                        .lost = job.lost,
                        .interferers = {},
                        .mode = job.mode,
                        .length = job.length,
                        .disturbed = job.disturbed - std::min(job.disturbed, unmet)});
    job.handed_over = true;
    job.deliveries = kNoNode;
  }
}

void Transmitters::hand_over_received(Transmitter& transmitter, std::uint32_t to, HostTime on_air_until) {
  const bool alone = transmitter.station.aggregation.frames == 1;
  NodeIndex before = kNoNode;
  for (NodeIndex node = transmitter.head; node != kNoNode;) {
    AirJob& job = jobs_[node];
    const NodeIndex next = job.next;
    if (job.to != to) {
      before = node;
    } else if (job.done) {
      hand_over(job, on_air_until);
      remove(transmitter, before);
    } else if (job.received) {
      hand_over(job, on_air_until);
      before = node;
    } else {
      return;
    }
    node = alone ? kNoNode : next;
  }
}

namespace {

bool meets(const Overlap& other, const Sent& sent) {
  return other.from < sent.until && other.until > sent.since;
}

// Until when what is on the air at `at` does not change.
HostTime next_change(std::span<const Overlap> others, HostTime at, HostTime end) {
  for (const Overlap& other : others) {
    for (const HostTime edge : {other.from, other.until}) {
      end = edge > at ? std::min(end, edge) : end;
    }
  }
  return end;
}

}  // namespace

// Others of the same modulation are as if they sent all the time, however short they meet.
bool Transmitters::rejects(const Sent& sent, std::span<const Overlap> others, double signal_dbm) const {
  double needed = 0;
  for (const Overlap& other : others) {
    if (meets(other, sent)) {
      const Decibels margin = needed_over(modes_[sent.mode], modes_[other.mode], kLoraCapture);
      needed += ratio_of_db(static_cast<double>(signals().power_dbm(other.robot, sent.to)) + margin.value);
    }
  }
  return ratio_of_db(signal_dbm) >= needed;
}

// In addition to those of noise: sum of hazards over all bits. Infinite for a cliff that the SINR falls off.
double Transmitters::more_errors(const Sent& sent, std::span<const Overlap> others, double weight,
                                 const LinkState& link) {
  const auto signal_dbm = static_cast<double>(link.rssi_dbm);
  const auto snr_db = static_cast<double>(link.snr_db);
  const HazardCurve& curve = sent.control ? errors_[sent.mode].control : errors_[sent.mode].frame;
  const double needed = (sent.control ? modes_[sent.mode].control_snr : modes_[sent.mode].needed_snr).value;
  const auto length = static_cast<double>((sent.until - sent.since).count());
  const double hazard_of_noise = curve ? curve(snr_db) : 0;
  others_mw_.clear();
  for (const Overlap& other : others) {
    const bool met = meets(other, sent);
    others_mw_.push_back(met ? weight * ratio_of_db(static_cast<double>(signals().power_dbm(other.robot, sent.to)))
                             : 0);
  }
  double more = 0;
  for (HostTime at = sent.since; at < sent.until;) {
    const HostTime next = next_change(others, at, sent.until);
    double power = 0;
    for (std::size_t i = 0; i < others.size(); ++i) {
      power += others[i].from <= at && others[i].until > at ? others_mw_[i] : 0;
    }
    const double sinr_db = signal_dbm - db_of(ratio_of_db(signal_dbm - snr_db) + power);
    if (!curve && sinr_db < needed && power > 0) {
      return std::numeric_limits<double>::infinity();
    }
    if (curve && power > 0) {
      const double hazard = curve(sinr_db) - hazard_of_noise;  // not a number where noise takes everything
      more += hazard > 0 ? hazard * sent.bits * static_cast<double>((next - at).count()) / length : 0;
    }
    at = next;
  }
  return more;
}

bool Transmitters::survives(Transmitter& drawing, const Sent& sent, std::span<const Overlap> others, double weight) {
  const auto met = [&](const Overlap& other) { return meets(other, sent); };
  if (std::none_of(others.begin(), others.end(), met)) {
    return true;
  }
  const LinkState* const link = signals().between(sent.from, sent.to);
  const auto receiver_sends = [&](const Overlap& other) { return other.robot == sent.to && meets(other, sent); };
  if (link == nullptr || std::any_of(others.begin(), others.end(), receiver_sends)) {
    return false;
  }
  if (modes_[sent.mode].spreading > 0) {
    return rejects(sent, others, static_cast<double>(link->rssi_dbm));
  }
  const double more = more_errors(sent, others, weight, *link);
  return !(more > 0) || !happens(drawing, -std::expm1(-more));
}

bool Transmitters::happens(Transmitter& transmitter, double probability) {
  return probability > 0 && FrameRandom(seed_, stream_of(transmitter), transmitter.draws++).uniform() <= probability;
}

void Transmitters::draw_backoff(Transmitter& transmitter) {
  FrameRandom random(seed_, stream_of(transmitter), transmitter.draws++);
  transmitter.backoff = static_cast<std::uint32_t>(random.below(transmitter.contention_window + 1));
  transmitter.backing_off = true;
}

}  // namespace hilgate
