// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/scenario/observation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "config/radio_name.h"

namespace hilgate {
namespace {

bool goes_on(const LinkCounts& before, const LinkCounts& now) {
  bool goes = now.deliveries >= before.deliveries && now.released >= before.released;
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    goes = goes && now.dropped[i] >= before.dropped[i];
  }
  return goes;
}

// The counters of a robot that has come again may begin anew.
void add_since(LinkCounts& sum, const LinkCounts& before, LinkCounts now) {
  if (goes_on(before, now)) {
    now.subtract(before);
  }
  sum.deliveries += now.deliveries;
  sum.released += now.released;
  sum.bytes_released += now.bytes_released;
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    sum.dropped[i] += now.dropped[i];
  }
}

bool within(const Expectation& expectation, double found) {
  return (!expectation.at_least || found >= *expectation.at_least) &&
         (!expectation.at_most || found <= *expectation.at_most);
}

std::uint64_t dropped_for(const LinkCounts& counts, DropReason reason) {
  return counts.dropped[static_cast<std::size_t>(reason)];
}

}  // namespace

void Observation::begin(const std::vector<LinkSample>& samples) {
  last_.clear();
  for (const LinkSample& sample : samples) {
    last_[{sample.from, sample.to}] = sample.counts;
  }
}

void Observation::count(const std::vector<LinkSample>& samples) {
  for (const LinkSample& sample : samples) {
    LinkCounts& last = last_[{sample.from, sample.to}];
    add_since(sum_, last, sample.counts);
    last = sample.counts;
  }
}

void Observation::look(SimTime at, const std::vector<LinkSample>& samples) {
  ++tables_;
  for (const LinkSample& sample : samples) {
    reached_[{sample.from, sample.to}] += sample.reachable;
    first_.try_emplace(sample.reachable, at, fmt::format("{} > {}", sample.from, sample.to));
  }
}

std::string Observation::fault(const Expectation& expectation) const {
  switch (expectation.kind) {
    case Expectation::Kind::kLoss:
      return loss_fault(expectation);
    case Expectation::Kind::kRate:
      return rate_fault(expectation);
    case Expectation::Kind::kReachable:
      return reach_fault(expectation);
    case Expectation::Kind::kDrops:
      return drops_fault(expectation);
    case Expectation::Kind::kDelay:
      return delay_fault(expectation);
    case Expectation::Kind::kHandover:
      return handover_fault(expectation);
  }
  return {};
}

std::string Observation::loss_fault(const Expectation& expectation) const {
  const std::uint64_t dropped = sum_.dropped_total();
  const std::uint64_t decided = dropped + sum_.released;
  if (decided == 0) {
    return fmt::format("there was no frame to judge loss by; expected {}", expectation.bounds);
  }
  const double loss = static_cast<double>(dropped) / static_cast<double>(decided);
  if (within(expectation, loss)) {
    return {};
  }
  return fmt::format("loss was {:.4g} % ({} of {} deliveries); expected {}", 100 * loss, dropped, decided,
                     expectation.bounds);
}

std::string Observation::rate_fault(const Expectation& expectation) const {
  constexpr double kBitsPerByte = 8;
  const double rate =
      kBitsPerByte * static_cast<double>(sum_.bytes_released) / seconds_of(expectation.until - expectation.from);
  if (within(expectation, rate)) {
    return {};
  }
  return fmt::format("rate was {:.4g} kbit/s ({} frames); expected {}", rate / 1e3, sum_.released, expectation.bounds);
}

std::string Observation::reach_fault(const Expectation& expectation) const {
  using Reach = Expectation::Reach;
  if (first_.empty()) {
    return "there was no such link to be in reach";
  }
  if (expectation.reach == Reach::kOnce) {
    const auto never = std::ranges::find_if(reached_, [](const auto& link) { return link.second == 0; });
    return never == reached_.end()
               ? ""
               : fmt::format("{} > {} was never in reach; expected once", never->first.first, never->first.second);
  }
  const bool wanted = expectation.reach == Reach::kAlways;
  const auto other = first_.find(!wanted);
  if (other == first_.end()) {
    return {};
  }
  const auto& [at, link] = other->second;
  return fmt::format("{} was {} reach at {:.9g} s; expected {}", link, wanted ? "out of" : "in",
                     seconds_of(at.time_since_epoch()), wanted ? "in reach always" : "never");
}

std::string Observation::drops_fault(const Expectation& expectation) const {
  std::vector<std::string> wrong;
  for (const DropReason reason : expectation.absent) {
    if (const std::uint64_t count = dropped_for(sum_, reason); count > 0) {
      wrong.push_back(fmt::format("{} deliveries were dropped as {}, expected none", count, name(reason)));
    }
  }
  for (const DropReason reason : expectation.present) {
    if (dropped_for(sum_, reason) == 0) {
      wrong.push_back(fmt::format("no delivery was dropped as {}, expected some", name(reason)));
    }
  }
  return fmt::format("{}", fmt::join(wrong, "; "));
}

std::string Observation::delay_fault(const Expectation& expectation) const {
  if (delay_.deliveries == 0) {
    return fmt::format("there was no delivery to judge delay by; expected {}", expectation.bounds);
  }
  if (within(expectation, static_cast<double>(delay_.percentile.count()))) {
    return {};
  }
  return fmt::format("delay was {:.4g} ms ({:g} % of {} deliveries took less); expected {}",
                     1e3 * seconds_of(delay_.percentile), 100 * expectation.share, delay_.deliveries,
                     expectation.bounds);
}

std::string Observation::handover_fault(const Expectation& expectation) const {
  const std::string where = expectation.access_point ? *expectation.access_point : "another access point";
  const HandoverSample* longest = nullptr;
  for (const HandoverSample& each : handovers_) {
    const bool meant =
        stands_for(expectation.robot, each.robot) && each.to == expectation.access_point.value_or(each.to);
    if (meant && (longest == nullptr || each.without > longest->without)) {
      longest = &each;
    }
  }
  if (longest == nullptr) {
    return fmt::format("{} has not come to {}", expectation.robot, where);
  }
  if (!expectation.within || longest->without <= *expectation.within) {
    return {};
  }
  return fmt::format("{} was {:.4g} ms without association before it came to {}; expected at most {:.4g} ms",
                     expectation.robot, 1e3 * seconds_of(longest->without), longest->to,
                     1e3 * seconds_of(*expectation.within));
}

}  // namespace hilgate
