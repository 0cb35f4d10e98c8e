// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/meters.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "clock/host_now.h"

namespace hilgate {
namespace {

constexpr std::chrono::seconds kEvery{1};

std::vector<std::string> robots_of(const Configuration& configuration) {
  std::vector<std::string> names;
  for (const RobotConfig& robot : configuration.robots) {
    names.push_back(robot.name);
  }
  return names;
}

std::uint64_t more(std::uint64_t now, std::uint64_t before) {
  return now > before ? now - before : 0;
}

}  // namespace

MeasuredLink measure_link(const LinkCounts& now, const LinkCounts& before, double seconds, double dilation) {
  MeasuredLink link;
  if (const std::uint64_t timed = more(now.timed, before.timed); timed > 0) {
    const double mean = static_cast<double>(more(now.delay_ns, before.delay_ns)) / static_cast<double>(timed);
    link.delay = Nanoseconds{static_cast<std::int64_t>(mean * dilation)};
  }
  const std::uint64_t released = more(now.released, before.released);
  const std::uint64_t dropped = more(now.dropped_total(), before.dropped_total());
  if (released + dropped > 0) {
    link.loss = static_cast<double>(dropped) / static_cast<double>(released + dropped);
  }
  if (seconds > 0) {
    link.rate_mbps = 8e-6 * static_cast<double>(more(now.bytes_released, before.bytes_released)) / (seconds * dilation);
  }
  return link;
}

void LinkMeter::start() {
  sample();
  timer_.expires_after(kEvery);
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      start();
    }
  });
}

void LinkMeter::sample() {
  const std::size_t robots = configuration_.robots.size();
  std::vector<std::string> names = robots_of(configuration_);
  if (names != robots_) {
    counts_.clear();
    measured_.clear();
    losses_.assign(robots * robots > kMost ? 0 : robots * robots, {});
    of_all_ = {};
    robots_ = std::move(names);
  }
  if (robots * robots > kMost) {
    return;
  }
  const HostTime now = host_now();
  std::vector<LinkCounts> counts;
  counts.reserve(robots * robots);
  for (std::uint32_t from = 0; from < robots; ++from) {
    for (std::uint32_t to = 0; to < robots; ++to) {
      counts.push_back(from == to ? LinkCounts{} : plane_.counts(slots_.link(RobotIndex{from}, RobotIndex{to})));
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    losses_[i].count(counts[i].released, counts[i].dropped_total(), now.time_since_epoch());
  }
  if (counts_.size() == counts.size()) {
    measured_.clear();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      measured_.push_back(measure_link(counts[i], counts_[i], seconds_of(now - at_), configuration_.dilation.factor()));
    }
  }
  counts_ = std::move(counts);
  at_ = now;
}

void LinkMeter::count(const PathTotals& totals) {
  if (robots_.size() * robots_.size() > kMost) {
    of_all_.count(totals.released, totals.dropped_total(), host_now().time_since_epoch());
  }
}

std::optional<MeasuredLink> LinkMeter::last(RobotIndex from, RobotIndex to) const {
  const std::size_t place = from.value() * configuration_.robots.size() + to.value();
  return place < measured_.size() ? std::optional(measured_[place]) : std::nullopt;
}

std::optional<double> LinkMeter::recent_loss(RobotIndex from, RobotIndex to) const {
  const std::size_t place = from.value() * configuration_.robots.size() + to.value();
  return place < losses_.size() ? losses_[place].value() : std::nullopt;
}

void AirMeter::sample(HostTime at, std::vector<AirUse> uses) {
  samples_[count_++ % kSamples] = {at, std::move(uses)};
}

double AirMeter::last(std::size_t domain) const {
  if (count_ < 2) {
    return 0;
  }
  const Sample& first = samples_[count_ > kSamples ? count_ % kSamples : 0];
  const Sample& now = newest();
  if (domain >= std::min(first.uses.size(), now.uses.size()) || now.at <= first.at) {
    return 0;
  }
  return static_cast<double>((now.uses[domain].busy - first.uses[domain].busy).count()) /
         static_cast<double>((now.at - first.at).count());
}

AirUse AirMeter::total(std::size_t domain) const {
  return count_ > 0 && domain < newest().uses.size() ? newest().uses[domain] : AirUse{};
}

}  // namespace hilgate
