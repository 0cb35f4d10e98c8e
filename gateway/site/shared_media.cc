// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/shared_media.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace hilgate {

bool SharedMedia::may_decide(std::uint32_t gateway, std::uint32_t robot) const {
  const std::uint32_t medium = of(robot);
  return medium != kNone && std::ranges::find(media[medium].deciders, gateway) != media[medium].deciders.end();
}

SharedMedia shared_media(const MediaGroups& groups, const std::vector<std::uint32_t>& gateway_of) {
  std::vector<std::map<std::uint32_t, std::size_t>> stations(groups.count());  // by gateway
  const std::size_t robots = std::min(groups.slots(), gateway_of.size());
  for (std::size_t robot = 0; robot < robots; ++robot) {
    if (const auto group = groups.of(robot)) {
      ++stations[*group][gateway_of[robot]];
    }
  }
  SharedMedia shared;
  std::vector<std::uint32_t> place(groups.count(), SharedMedia::kNone);
  for (std::size_t group = 0; group < groups.count(); ++group) {
    if (stations[group].size() < 2) {
      continue;
    }
    place[group] = static_cast<std::uint32_t>(shared.media.size());
    SharedMedia::Medium& medium = shared.media.emplace_back(SharedMedia::Medium{groups.name(group), {}});
    for (const auto& [gateway, count] : stations[group]) {
      medium.deciders.push_back(gateway);
    }
    std::ranges::stable_sort(medium.deciders, std::ranges::greater{},
                             [&](std::uint32_t gateway) { return stations[group].at(gateway); });
  }
  for (std::size_t robot = 0; robot < robots && !shared.media.empty(); ++robot) {
    const auto group = groups.of(robot);
    shared.of_robot.push_back(group ? place[*group] : SharedMedia::kNone);
  }
  return shared;
}

SharedMedia judged_media(std::size_t robots, std::size_t gateways) {
  SharedMedia shared{.media = {{"netsim", {}}}, .of_robot = std::vector<std::uint32_t>(robots), .appointed = true};
  for (std::uint32_t gateway = 0; gateway < gateways; ++gateway) {
    shared.media.front().deciders.push_back(gateway);
  }
  return shared;
}

namespace {

constexpr Nanoseconds kSecond{1'000'000'000};

// A whole second at least one ahead: by then all have received it, at the same instant for those that receive it at
// about the same time.
WallTime second_after_next(WallTime now) {
  const Nanoseconds since = now.time_since_epoch();
  return WallTime{since - since % kSecond + 2 * kSecond};
}

}  // namespace

MediaDeciders::MediaDeciders(SharedMedia media, std::uint32_t own, std::size_t gateways)
    : media_(std::move(media)), own_(own), known_(gateways), now_(std::make_unique<Now[]>(media_.media.size())) {
  known_[own].here = true;
  for (std::size_t i = 0; i < media_.media.size(); ++i) {
    store(i, media_.appointed ? SharedMedia::kNone : own);
  }
}

void MediaDeciders::store(std::size_t medium, std::uint32_t gateway) noexcept {
  now_[medium].decider.store(gateway, std::memory_order_relaxed);
  now_[medium].here.store(gateway == own_, std::memory_order_relaxed);
}

void MediaDeciders::appoint(std::optional<std::uint32_t> gateway) noexcept {
  for (std::size_t i = 0; media_.appointed && i < media_.media.size(); ++i) {
    store(i, gateway.value_or(SharedMedia::kNone));
  }
}

void MediaDeciders::see(std::uint32_t gateway, bool here, std::optional<WallTime> decides_from, WallTime now) noexcept {
  Gateway& known = known_[gateway];
  if (here && decides_from && known.from != decides_from) {
    known.since = *decides_from;  // another life of it
    known.from = decides_from;
  } else if (here && !known.here) {
    known.since = std::max(known.since, second_after_next(now));
  }
  known.here = here;
}

void MediaDeciders::begin(WallTime now) noexcept {
  if (!known_[own_].from) {
    known_[own_].from = known_[own_].since = second_after_next(now);
  }
}

// Before any gateway has begun, as when a site starts, it is the first that is here.
std::uint32_t MediaDeciders::chosen(const SharedMedia::Medium& medium, WallTime now) const noexcept {
  std::optional<std::uint32_t> first;
  for (const std::uint32_t gateway : medium.deciders) {
    const Gateway& known = known_[gateway];
    if (known.here && known.from && known.since <= now) {
      return gateway;
    }
    first = first || !known.here ? first : std::optional(gateway);
  }
  return first.value_or(own_);
}

void MediaDeciders::choose(WallTime now) noexcept {
  if (media_.appointed) {
    return;
  }
  for (std::size_t i = 0; i < media_.media.size(); ++i) {
    store(i, chosen(media_.media[i], now));
  }
  next_.reset();
  for (const Gateway& known : known_) {
    if (known.here && known.from && known.since > now) {
      next_ = next_ ? std::min(*next_, known.since) : known.since;
    }
  }
}

}  // namespace hilgate
