// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/ros2/ros2_process.h"

#include <map>
#include <string>
#include <vector>

#include "gateway/configuration/reader/installed_names.h"
#include "gateway/views/ros2/ros2_settings.h"
#include "host/companion/companion_process.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate {
namespace {

std::map<std::string, Ros2Radio> radios_of(const Configuration& configuration) {
  std::map<std::string, Ros2Radio> radios;
  const std::vector<std::string> folders = profile_folders(configuration.profile_paths);
  for (const RobotConfig& robot : configuration.robots) {
    if (!robot.radio.empty()) {
      const RadioPhy phy = load_radio_profile(find_radio_profile(robot.radio, folders)).phy;
      radios[robot.name] = {.tx_power_dbm = phy.tx_power.value, .frequency_ghz = phy.frequency.value / 1e9};
    }
  }
  return radios;
}

}  // namespace

std::unique_ptr<CompanionProcess> start_ros2(const Configuration& configuration, const std::set<unsigned>& cpus) {
  if (!configuration.ros2_input && !configuration.ros2_output) {
    return nullptr;
  }
  const std::string program = companion_program("hilgate-ros2", "ROS 2");
  const std::string settings = json_of(Ros2Settings{.run = configuration.name,
                                                    .control_socket = control_socket(configuration.name).string(),
                                                    .input = configuration.ros2_input,
                                                    .output = configuration.ros2_output,
                                                    .radios = radios_of(configuration)})
                                   .dump();
  return std::make_unique<CompanionProcess>(
      CompanionProcess::Work{
          .name = "ros2", .what = "hilgate-ros2", .body = [&program, &settings] { become(program, settings); }},
      cpus);
}

}  // namespace hilgate
