// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/site_files.h"

#include <fmt/format.h>

#include <stdexcept>
#include <variant>

#include "gateway/configuration/reader/installed_names.h"
#include "gateway/site/site_meeting.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate {

std::uint64_t files_digest(const Configuration& configuration, const ConfigDocument& document) {
  SiteDigest digest;
  digest.add(document.text());
  if (const auto tracks = document.physics_file()) {
    digest.add_file(*tracks);
  }
  const auto folders = profile_folders(configuration.profile_paths);
  for (const RobotConfig& robot : configuration.robots) {
    if (!robot.radio.empty()) {
      digest.add_file(find_radio_profile(robot.radio, folders));
    }
  }
  if (const AccessNetworkConfig* network = access_network(configuration)) {
    for (const AccessPointConfig& point : network->access_points) {
      digest.add_file(find_radio_profile(point.radio, folders));
    }
  }
  if (const auto* embedded = std::get_if<EmbeddedConfig>(&configuration.netsim); embedded != nullptr && embedded->map) {
    digest.add_file(*embedded->map);
  }
  return digest.value();
}

std::uint64_t digest_with(std::uint64_t files, const std::vector<std::string>& assignments) {
  if (assignments.empty()) {
    return files;
  }
  SiteDigest digest;
  digest.add(fmt::format("{:016x}", files));
  for (const std::string& each : assignments) {
    digest.add(each);
  }
  return digest.value();
}

void check_site_change(const ConfigDocument& running, const ConfigDocument& wanted) {
  for (const char* key : {"ports", "robots", "window", "physics", "netsim"}) {
    if (running.section(key) != wanted.section(key)) {
      throw std::runtime_error(
          fmt::format("{} cannot change while a site runs; change the file at all gateways and start them again", key));
    }
  }
}

}  // namespace hilgate
