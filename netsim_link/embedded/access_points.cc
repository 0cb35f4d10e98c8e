// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/access_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace hilgate {
namespace {

using Radios = std::vector<std::shared_ptr<const RadioProfile>>;

bool serves(const AccessNetwork& network, const RadioProfile& radio) {
  return std::any_of(network.access_points.begin(), network.access_points.end(),
                     [&](const AccessPoint& point) { return point.radio->mac.domain == radio.mac.domain; });
}

}  // namespace

std::vector<AirRole> roles_in(const AccessNetwork& network, const Radios& radios) {
  if (network.access_points.empty()) {
    return {};
  }
  std::vector<AirRole> roles(radios.size());
  for (std::size_t robot = 0; robot < radios.size(); ++robot) {
    roles[robot] = radios[robot] && serves(network, *radios[robot]) ? AirRole::kStation : AirRole::kNone;
  }
  for (const RobotIndex robot : network.wired) {
    roles[robot.value()] = AirRole::kWired;
  }
  for (const AccessPoint& point : network.access_points) {
    if (point.radio->mac.access == MediumAccess::kScheduled) {
      throw std::runtime_error(fmt::format(
          "the radio profile '{}' of an access point has mac.access scheduled, which includes a base station "
          "already; use csma, tdm or aloha",
          point.radio->id));
    }
    if (point.radio->mac.mesh) {
      throw std::runtime_error(fmt::format(
          "the radio profile '{}' of an access point has mac.mesh; stations of an access point do not forward, use a "
          "profile without it",
          point.radio->id));
    }
    if (point.robot) {
      roles[point.robot->value()] = AirRole::kWired;
    }
    roles.push_back(AirRole::kAccessPoint);
  }
  return roles;
}

std::vector<Attachment> wired_attachments(const AccessNetwork& network, std::size_t robots) {
  std::vector<Attachment> attachments(robots + network.access_points.size());
  for (const RobotIndex robot : network.wired) {
    attachments[robot.value()] = {.state = Attachment::State::kAttached};
  }
  for (std::size_t i = 0; i < network.access_points.size(); ++i) {
    if (const auto& robot = network.access_points[i].robot) {
      attachments[robot->value()] = {Attachment::State::kAttached, RobotIndex{static_cast<std::uint32_t>(robots + i)}};
    }
  }
  return attachments;
}

const Scene& ExtendedScene::extend(const Scene& robots) {
  if (network_.access_points.empty()) {
    return robots;
  }
  scene_ = robots;
  scene_.sights.resize(pair_count(robots.robots.size() + network_.access_points.size()));
  std::size_t pair = pair_count(robots.robots.size());
  for (std::size_t i = 0; i < network_.access_points.size(); ++i) {
    const AccessPoint& point = network_.access_points[i];
    scene_.robots.push_back(point.robot ? robots.robots[point.robot->value()] : Pose{point.position, {}, true});
    for (std::size_t other = 0; other + 1 < scene_.robots.size(); ++other, ++pair) {
      look(robots, i, other, scene_.sights[pair]);
    }
  }
  return scene_;
}

void ExtendedScene::look(const Scene& robots, std::size_t access_point, std::size_t other, Sight& sight) const {
  const auto& self = network_.access_points[access_point].robot;
  if (self && other < robots.robots.size()) {
    const RobotIndex robot{static_cast<std::uint32_t>(other)};
    sight = robot == *self ? Sight{} : robots.between(*self, robot);
    return;
  }
  sight.walls.clear();
  sight.paths.clear();
  const Segment ray{scene_.robots.back().position, scene_.robots[other].position};
  sight.line_of_sight = !network_.obstacles.append_between(ray, sight.walls);
}

}  // namespace hilgate
