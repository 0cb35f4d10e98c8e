// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/conditions/validated_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "gateway/configuration/reader/installed_names.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/profile/validation_text.h"

namespace hilgate {
namespace {

constexpr std::chrono::seconds kOutsideShown{10};  // links at the end of a range do not begin and end it all the time

bool is_outside(const Validation& validation, double distance_m) {
  return distance_m < validation.distance->first.value || distance_m > validation.distance->second.value;
}

}  // namespace

ValidatedRanges::ValidatedRanges(const Configuration& configuration) {
  if (!std::holds_alternative<EmbeddedConfig>(configuration.netsim)) {
    return;
  }
  const auto folders = profile_folders(configuration.profile_paths);
  std::map<std::string, RadioProfile> profiles;
  for (const RobotConfig& robot : configuration.robots) {
    std::optional<Radio>& radio = radios_.emplace_back();
    if (robot.radio.empty()) {
      continue;
    }
    auto at = profiles.find(robot.radio);
    if (at == profiles.end()) {
      at = profiles.emplace(robot.radio, load_radio_profile(find_radio_profile(robot.radio, folders))).first;
    }
    radio = Radio{robot.name, robot.radio, at->second.mac.domain, at->second.validation};
  }
}

void ValidatedRanges::find(const Scene& scene, std::vector<Condition>& found) const {
  std::vector<std::string> links;
  for (std::size_t i = 0; i < std::min(scene.robots.size(), radios_.size()); ++i) {
    if (!radios_[i] || !radios_[i]->validation.distance) {
      continue;
    }
    for (std::size_t j = i + 1; j < std::min(scene.robots.size(), radios_.size()); ++j) {
      if (!radios_[j] || radios_[j]->domain != radios_[i]->domain) {
        continue;
      }
      const Vec3& here = scene.robots[i].position;
      const Vec3& there = scene.robots[j].position;
      const double distance_m = std::hypot(here.x - there.x, here.y - there.y);
      if (is_outside(radios_[i]->validation, distance_m)) {
        links.push_back(fmt::format("{}-{} at {:.4g} m ({}: {})", radios_[i]->robot, radios_[j]->robot, distance_m,
                                    radios_[i]->profile, validated_distance(radios_[i]->validation)));
      }
    }
  }
  if (!links.empty()) {
    found.push_back({.name = "outside_validation",
                     .text = fmt::format("links: outside the distances at which their path loss was compared: {}",
                                         name_list(links)),
                     .lasts = kOutsideShown});
  }
}

}  // namespace hilgate
