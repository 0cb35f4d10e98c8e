// SPDX-License-Identifier: Apache-2.0
#include "gateway/ros2/ros2_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "gateway/configuration/reader/installed_names.h"
#include "gateway/ros2/ros2_settings.h"
#include "host/file_descriptor.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate {
namespace {

// Beside this program, in a build tree as in an installation.
std::string ros2_program() {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "hilgate-ros2";
  if (::access(program.c_str(), X_OK) != 0) {
    throw std::runtime_error(
        fmt::format("ROS 2 needs {}, which is not installed: sudo apt install hilgate-ros2", program.string()));
  }
  return program.string();
}

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
  const std::string program = ros2_program();
  const std::string settings = json_of(Ros2Settings{.run = configuration.name,
                                                    .control_socket = control_socket(configuration.name).string(),
                                                    .input = configuration.ros2_input,
                                                    .output = configuration.ros2_output,
                                                    .radios = radios_of(configuration)})
                                   .dump();
  return std::make_unique<CompanionProcess>(
      CompanionProcess::Work{.name = "ros2",
                             .what = "hilgate-ros2",
                             .body =
                                 [&program, &settings] {
                                   checked(::execl(program.c_str(), program.c_str(), settings.c_str(), nullptr),
                                           program);
                                 }},
      cpus);
}

}  // namespace hilgate
