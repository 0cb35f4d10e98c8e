// SPDX-License-Identifier: Apache-2.0
#include "path/addresses/directory.h"

#include <algorithm>

namespace hilgate {
namespace {

std::size_t count_macs(std::span<const RobotEntry> robots) {
  std::size_t count = 0;
  for (const RobotEntry& robot : robots) {
    count += robot.macs.size();
  }
  return count;
}

std::vector<RobotSlot> open_robots(std::span<const RobotEntry> robots) {
  std::vector<RobotSlot> open;
  for (std::uint32_t i = 0; i < robots.size(); ++i) {
    if (robots[i].present && robots[i].macs.empty()) {
      open.push_back(RobotSlot{i});
    }
  }
  return open;
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
      macs_(count_macs(robots)),
      shared_macs_(count_macs(robots)),
      learned_(open_robots(robots)),
      ips_(count_ips(robots)) {
  some_.reserve(robots.size());
  for (const RobotEntry& robot : robots) {
    ports_.push_back(robot.port);
    isolated_.push_back(robot.isolated || robot.vlan != 0);
    lines_.push_back(robot.line);
    bodies_.push_back(robot.body);
    own_macs_.push_back(robot.macs.empty() ? std::nullopt : std::optional(robot.macs.front()));
  }
  for (std::uint32_t i = 0; i < robots.size(); ++i) {
    const RobotEntry& robot = robots[i];
    if (!robot.present) {
      continue;
    }
    if (robot.line) {
      at_lines_.resize(std::max<std::size_t>(at_lines_.size(), robot.port.value() + 1));
      at_lines_[robot.port.value()] = RobotSlot{i};
    }
    share(robot, RobotSlot{i});
    for (const MacAddress mac : robot.macs) {
      if (shared_macs_.find(mac) == nullptr) {
        macs_.insert(mac, RobotSlot{i});
      }
    }
    for (const IpAddress& ip : robot.ips) {
      ips_.insert(ip, RobotSlot{i});
    }
    if (robot.macs.empty()) {
      open_ports_.insert(robot.port.value(), RobotSlot{i});
    }
    for (std::uint32_t j = 0; j < robots.size(); ++j) {
      if (robots[j].present && pass(RobotSlot{i}, RobotSlot{j})) {
        others_[i].push_back(RobotSlot{j});
      }
    }
  }
}

void Directory::share(const RobotEntry& entry, RobotSlot robot) {
  for (const MacAddress mac : entry.shared) {
    if (shared_macs_.find(mac) == nullptr) {
      shared_macs_.insert(mac, static_cast<std::uint32_t>(shared_.size()));
      shared_.push_back({.mac = mac});
    }
    shared_[*shared_macs_.find(mac)].robots.push_back(robot);
  }
}

std::variant<RobotSlot, DropReason> Directory::sender(PortSlot ingress, const EthernetHeader& ethernet, HostTime now) {
  if (const RobotSlot* robot = macs_.find(ethernet.source)) {
    if (ports_[robot->value()] != ingress) {
      return DropReason::kSpoofedSender;
    }
    return *robot;
  }
  if (const std::uint32_t* shared = shared_macs_.find(ethernet.source)) {
    return sender_of(shared_[*shared], ingress);
  }
  if (const RobotSlot* robot = open_ports_.find(ingress.value())) {
    if (!ethernet.source.is_group()) {
      learn(ethernet.source, *robot, now);
    }
    return *robot;
  }
  return DropReason::kUnknownSender;
}

std::variant<RobotSlot, DropReason> Directory::sender_of(Shared& shared, PortSlot ingress) {
  const auto robot = std::ranges::find(shared.robots, ingress, [this](RobotSlot one) { return port_of(one); });
  if (robot == shared.robots.end()) {
    return DropReason::kSpoofedSender;
  }
  if (!shared.at || shared.at.value() != *robot) {
    shared.at = *robot;
    moved_ = true;
  }
  return *robot;
}

void Directory::learn(MacAddress mac, RobotSlot robot, HostTime now) {
  if (const auto before = learned_.learn(mac, robot, now)) {
    moved_ = true;
    std::optional<MacAddress>& own = own_macs_[before->value()];
    own = own == mac ? learned_.any_of(*before) : own;
  }
  own_macs_[robot.value()] = mac;
}

void Directory::learn_from(const Directory& other) {
  learned_.learn_from(other.learned_);
  for (std::size_t i = 0; i < own_macs_.size() && i < other.own_macs_.size(); ++i) {
    own_macs_[i] = own_macs_[i] ? own_macs_[i] : other.own_macs_[i];
  }
  for (Shared& shared : shared_) {
    const std::uint32_t* const known = other.shared_macs_.find(shared.mac);
    const auto at = known != nullptr ? other.shared_[*known].at : OptionalIndex<RobotSlot>{};
    if (at && std::ranges::find(shared.robots, at.value()) != shared.robots.end()) {
      shared.at = at;
    }
  }
}

std::optional<RobotSlot> Directory::robot_at(MacAddress mac) const {
  if (const RobotSlot* robot = macs_.find(mac)) {
    return *robot;
  }
  if (const std::uint32_t* shared = shared_macs_.find(mac)) {
    const OptionalIndex<RobotSlot> at = shared_[*shared].at;
    return at ? std::optional(at.value()) : std::nullopt;
  }
  return learned_.robot_at(mac);
}

OptionalIndex<RobotSlot> Directory::at_line(PortSlot port) const {
  return port.value() < at_lines_.size() ? at_lines_[port.value()] : OptionalIndex<RobotSlot>{};
}

std::span<const RobotSlot> Directory::receivers(RobotSlot sender, std::span<const std::byte> bytes,
                                                const EthernetHeader& ethernet) {
  if (ethernet.destination.is_group()) {
    return others_[sender.value()];
  }
  some_.clear();
  const auto add = [&](RobotSlot robot) {
    if (pass(sender, robot)) {
      some_.push_back(robot);
    }
  };
  if (const auto robot = robot_at(ethernet.destination)) {
    add(*robot);
  } else if (const std::uint32_t* shared = shared_macs_.find(ethernet.destination)) {
    std::ranges::for_each(shared_[*shared].robots, add);
  } else if (const auto ip = parse_ip(bytes, ethernet)) {
    // A robot without configured MACs that has not spoken yet is found by its IP address.
    if (const RobotSlot* owner = ips_.find(ip->destination)) {
      add(*owner);
    }
  }
  return some_;
}

}  // namespace hilgate
