// SPDX-License-Identifier: Apache-2.0
#include "gateway/path/directory.h"

#include <algorithm>

namespace hilgate {
namespace {

// A robot without configured MACs may have a bridge of several interfaces behind it.
constexpr std::size_t kLearnedMacs = 1024;

std::size_t count_macs(std::span<const RobotEntry> robots) {
  std::size_t count = 0;
  for (const RobotEntry& robot : robots) {
    count += robot.macs.size();
  }
  return count;
}

std::size_t count_ips(std::span<const RobotEntry> robots) {
  std::size_t count = 0;
  for (const RobotEntry& robot : robots) {
    count += robot.ips.size();
  }
  return count;
}

}  // namespace

std::uint32_t first_ipv4(std::span<const IpAddress> addresses) {
  const auto found = std::ranges::find_if(addresses, [](const IpAddress& ip) { return ip.is_v4(); });
  return found != addresses.end() ? found->v4() : 0;
}

Directory::Directory(std::span<const RobotEntry> robots)
    : others_(robots.size()),
      open_ports_(robots.size()),
      macs_(count_macs(robots) + kLearnedMacs),
      ips_(count_ips(robots)) {
  learned_.reserve(kLearnedMacs);
  for (std::uint32_t i = 0; i < robots.size(); ++i) {
    const RobotEntry& robot = robots[i];
    ports_.push_back(robot.port);
    if (!robot.present) {
      continue;
    }
    for (const MacAddress mac : robot.macs) {
      macs_.insert(mac, RobotId{i});
    }
    for (const IpAddress& ip : robot.ips) {
      ips_.insert(ip, RobotId{i});
    }
    if (robot.macs.empty()) {
      open_ports_.insert(robot.port.value(), RobotId{i});
    }
    for (std::uint32_t j = 0; j < robots.size(); ++j) {
      if (robots[j].port != robot.port && robots[j].present) {
        others_[i].push_back(RobotId{j});
      }
    }
  }
}

std::variant<RobotId, DropReason> Directory::sender(PortId ingress, const EthernetHeader& ethernet) {
  if (const RobotId* robot = macs_.find(ethernet.source)) {
    if (ports_[robot->value()] != ingress) {
      return DropReason::kSpoofedSender;
    }
    return *robot;
  }
  if (const RobotId* robot = open_ports_.find(ingress.value())) {
    if (!ethernet.source.is_group()) {
      learn(ethernet.source, *robot);
    }
    return *robot;
  }
  return DropReason::kUnknownSender;
}

// When there is no more room, its frames still count as this robot's.
void Directory::learn(MacAddress mac, RobotId robot) {
  if (learned_.size() < kLearnedMacs && macs_.insert(mac, robot)) {
    learned_.emplace_back(mac, robot);
  }
}

void Directory::learn_from(const Directory& other) {
  for (const auto& [mac, robot] : other.learned_) {
    const RobotId* open = open_ports_.find(ports_[robot.value()].value());
    if (open != nullptr && *open == robot && macs_.find(mac) == nullptr) {
      learn(mac, robot);
    }
  }
}

std::span<const RobotId> Directory::receivers(RobotId sender, std::span<const std::byte> bytes,
                                              const EthernetHeader& ethernet) {
  if (ethernet.destination.is_group()) {
    return others_[sender.value()];
  }
  const RobotId* robot = unicast_receiver(bytes, ethernet);
  if (robot == nullptr || ports_[robot->value()] == ports_[sender.value()]) {
    return {};
  }
  single_ = *robot;
  return {&single_, 1};
}

const RobotId* Directory::unicast_receiver(std::span<const std::byte> bytes, const EthernetHeader& ethernet) const {
  if (const RobotId* robot = macs_.find(ethernet.destination)) {
    return robot;
  }
  // A robot without configured MACs that has not spoken yet is found by its IP address.
  const auto ip = parse_ip(bytes, ethernet);
  return ip ? ips_.find(ip->destination) : nullptr;
}

}  // namespace hilgate
