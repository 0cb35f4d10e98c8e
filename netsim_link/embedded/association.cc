// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/association.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hilgate {

Association::Association(const Roaming& rules, std::vector<AirRole> roles, std::vector<Attachment> attachments)
    : rules_(rules), attachments_(std::move(attachments)) {
  for (std::uint32_t number = 0; number < roles.size(); ++number) {
    if (roles[number] == AirRole::kAccessPoint) {
      access_points_.push_back(number);
    }
  }
  for (std::uint32_t number = 0; number < roles.size(); ++number) {
    if (roles[number] == AirRole::kStation) {
      stations_.push_back({.number = number, .heard = std::vector<Heard>(access_points_.size())});
    }
  }
}

void Association::update(LinkTable& table) {
  const bool first = beacons_ < 0;
  if (first || table.at > at_) {
    const std::int64_t beacons = table.at.time_since_epoch() / rules_.beacon;
    const std::int64_t passed = first ? 1 : beacons - beacons_;
    for (Station& station : stations_) {
      if (passed > 0) {
        hear(table, station, static_cast<std::uint64_t>(passed));
      }
      decide(station, table.at, first);
    }
    beacons_ = beacons;
    at_ = table.at;
  }
  table.attachments = attachments_;
}

// In windows longer than an interval, all of its beacons were as strong as the last.
void Association::hear(const LinkTable& table, Station& station, std::uint64_t beacons) const {
  for (std::size_t i = 0; i < access_points_.size(); ++i) {
    const LinkIndex link = link_of(RobotIndex{access_points_[i]}, RobotIndex{station.number}, attachments_.size());
    const LinkState& state = table.links[link.value()];
    Heard& heard = station.heard[i];
    if (!state.reachable) {
      heard.missed += static_cast<std::uint32_t>(std::min<std::uint64_t>(beacons, rules_.missed));
      heard.missed = std::min(heard.missed, rules_.missed);
      heard.known = heard.known && heard.missed < rules_.missed;
      continue;
    }
    const double old_share = heard.known ? std::pow(0.75, static_cast<double>(beacons)) : 0;
    const Dbm power{static_cast<double>(state.rssi_dbm)};
    heard = {.power = power + old_share * (heard.power - power), .missed = 0, .known = true};
  }
}

void Association::decide(Station& station, SimTime at, bool first) {
  Attachment& attachment = attachments_[station.number];
  const std::size_t heard_best = best(station);
  const bool hears = heard_best < access_points_.size();
  const bool arrives = attachment.state == Attachment::State::kRoaming && at >= station.until;
  if (first || arrives) {
    attachment =
        hears ? Attachment{Attachment::State::kAttached, RobotIndex{access_points_[heard_best]}} : Attachment{};
  } else if (attachment.state == Attachment::State::kAttached ? leaves(station)
                                                              : attachment.state == Attachment::State::kNone && hears) {
    attachment = {.state = Attachment::State::kRoaming};
    station.until = at + rules_.outage;
  }
}

bool Association::leaves(const Station& station) const {
  const std::uint32_t own = attachments_[station.number].at.value().value();
  const auto place =
      static_cast<std::size_t>(std::find(access_points_.begin(), access_points_.end(), own) - access_points_.begin());
  const Heard& here = station.heard[place];
  if (!here.known) {
    return true;
  }
  const std::size_t there = best(station);
  return there < access_points_.size() && there != place && (!rules_.scan_below || here.power < *rules_.scan_below) &&
         station.heard[there].power > here.power + rules_.hysteresis;
}

std::size_t Association::best(const Station& station) const {
  std::size_t best = access_points_.size();
  for (std::size_t i = 0; i < station.heard.size(); ++i) {
    const Heard& heard = station.heard[i];
    const bool now = heard.known && heard.missed == 0;
    if (now && (best == access_points_.size() || heard.power > station.heard[best].power)) {
      best = i;
    }
  }
  return best;
}

}  // namespace hilgate
