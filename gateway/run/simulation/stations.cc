// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/simulation/stations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hilgate {
namespace {

using State = Attachment::State;

void wait(Stations::Record& record, Nanoseconds passed) {
  if (record.state != State::kAttached) {
    record.without += passed;
    record.without_now += passed;
    record.without_most = std::max(record.without_most, record.without_now);
  }
}

}  // namespace

std::vector<StationNews> Stations::take(const Configuration& configuration, const std::vector<AirRole>& roles,
                                        const LinkTable& table) {
  std::vector<StationNews> news;
  const AccessNetworkConfig* network = access_network(configuration);
  const Nanoseconds passed = std::max(table.at - at_, Nanoseconds{0});
  at_ = table.at;
  for (std::uint32_t i = 0; network != nullptr && i < configuration.robots.size() && i < table.attachments.size();
       ++i) {
    if (roles[i] != AirRole::kStation) {
      continue;
    }
    const Attachment& attachment = table.attachments[i];
    const bool attached = attachment.state == State::kAttached;
    Record& record = records_[configuration.robots[i].name];
    wait(record, passed);
    const std::string name =
        attached ? network->access_points[attachment.at.value().value() - configuration.robots.size()].name : "";
    if (StationNews change = follow(record, attachment.state, name); !change.text.empty()) {
      change.robot = configuration.robots[i].name;
      change.text = fmt::format("station {} {}", change.robot, change.text);
      news.push_back(std::move(change));
    }
  }
  return news;
}

// What is new, without the robot; no text when nothing is.
StationNews Stations::follow(Record& record, State now, const std::string& access_point) {
  const State before = std::exchange(record.state, now);
  StationNews news;
  if (now != State::kAttached) {
    news.text = now == State::kNone && before != State::kNone ? "is out of range of all access points" : "";
    return news;
  }
  const Nanoseconds without = std::exchange(record.without_now, Nanoseconds{0});
  if (before == State::kAttached && record.access_point == access_point) {
    return news;
  }
  const std::string from = std::exchange(record.access_point, access_point);
  if (from.empty()) {
    news.text = fmt::format("is associated with access point {}", access_point);
    return news;
  }
  if (from != access_point) {
    ++record.handovers;
    news.from = from;
    news.to = access_point;
    news.without = without;
  }
  news.text = fmt::format("is associated with access point {} after {}, {:.1f} ms without association", access_point,
                          from, static_cast<double>(without.count()) / 1e6);
  return news;
}

Stations::Record Stations::of(const std::string& robot) const {
  const auto known = records_.find(robot);
  return known != records_.end() ? known->second : Record{};
}

}  // namespace hilgate
