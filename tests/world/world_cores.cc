// SPDX-License-Identifier: Apache-2.0
#include "tests/world/world_cores.h"

#include <utility>

#include "path/cores/media_homes.h"

namespace hilgate::test {
namespace {

std::unique_ptr<LinkTableFeed> feed_with(const LinkTable& table) {
  auto feed = std::make_unique<LinkTableFeed>(table.links.size());
  feed->back() = table;
  feed->publish();
  return feed;
}

}  // namespace

WorldCores::WorldCores(const WorldPlan& plan, const PathSettings& settings, const LinkTable& table,
                       const std::vector<std::unique_ptr<WorldPort>>& ports, WorldMemory& memory)
    : most_held_(plan.cores * (3 * settings.hold_frames) + settings.parked_packets * settings.robots.size()) {
  for (std::size_t port = 0; port < ports.size(); ++port) {
    core_of_port_.push_back(port % plan.cores);
  }
  homes_ = media_homes(settings, core_of_port_, plan.cores);
  rings_ = std::make_unique<CrossingRings>(plan.cores, settings.hold_frames);
  for (std::size_t core = 0; core < plan.cores; ++core) {
    std::vector<WorldPort*> own;
    for (std::size_t port = 0; port < ports.size(); ++port) {
      own.push_back(core_of_port_[port] == core ? ports[port].get() : nullptr);
    }
    auto feed = feed_with(table);
    auto path = std::make_unique<Path>(settings, own, memory, *feed, rings_->of(core, core_of_port_, homes_));
    cores_.push_back({std::move(feed), std::move(path)});
  }
}

void WorldCores::publish(const LinkTable& table) {
  for (const Core& core : cores_) {
    core.feed->back() = table;
    core.feed->publish();
  }
}

void WorldCores::change(const PathSettings& settings, const LinkTable& table, HostTime now) {
  homes_ = media_homes(settings, core_of_port_, cores_.size(), homes_);
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    Core& core = cores_[i];
    auto feed = feed_with(table);
    PathParts parts(settings, core_of_port_.size(), *feed, &core.path->parts());
    parts.set_homes(rings_->of(i, core_of_port_, homes_));
    core.path->change(parts, now);
    std::swap(core.feed, feed);  // the old parts, which still know theirs, go first
  }
}

void WorldCores::drain() {
  for (int round = 0; round < 2; ++round) {
    for (const Core& core : cores_) {
      core.path->drain();
    }
  }
}

const PathTotals& WorldCores::totals() {
  if (cores_.size() == 1) {
    return cores_.front().path->totals();
  }
  sum_ = {};
  for (const Core& core : cores_) {
    sum_.add(core.path->totals());
  }
  sum_.settle_crossings();
  return sum_;
}

std::vector<LinkCounts> WorldCores::links() const {
  std::vector<LinkCounts> links(cores_.front().path->links().size());
  for (const Core& core : cores_) {
    for (std::size_t link = 0; link < links.size(); ++link) {
      core.path->links()[link].add_to(links[link]);
    }
  }
  return links;
}

std::size_t WorldCores::bytes() const {
  std::size_t sum = rings_->bytes();
  for (const Core& core : cores_) {
    sum += core.path->bytes();
  }
  return sum;
}

}  // namespace hilgate::test
