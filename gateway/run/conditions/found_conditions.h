// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/conditions/conditions.h"
#include "gateway/run/simulation/windows.h"
#include "netsim_link/air_plan.h"
#include "path/data_plane.h"
#include "path/site_report.h"
#include "physics_link/scene.h"

// What a configuration lets know before it runs.

namespace hilgate {

struct ExpectedCondition {
  Condition condition;
  int line = 0;  // in Configuration::file; 0: the file as a whole
};

/// Robots whose radios never hear any other's, and robots that start or pass under the ground or within an obstacle.
/// Throws what reading radio profiles throws.
std::vector<ExpectedCondition> expected_conditions(const Configuration& configuration);

/// The longest packet that every link from a robot carries, when its sender is not notified of longer ones; nothing
/// when every length is carried.
[[nodiscard]] std::optional<std::uint32_t> silent_mtu(const AirPlan& air, std::size_t ends, RobotIndex robot);

/// A robot that may send packets of `mtu` bytes, which its radio drops silently; nothing where it does not.
[[nodiscard]] std::optional<Condition> mtu_condition(const Configuration& configuration, const AirPlan& air,
                                                     RobotIndex robot, std::uint32_t mtu);

/// The TSC and CLOCK_MONOTONIC are apart by `step` beyond what they were (TscClock::last_step()).
[[nodiscard]] Condition clock_step_condition(Nanoseconds step);

/// The lines of `hilgate check` for these conditions, each with its position in the file.
std::vector<std::string> warnings(const Configuration& configuration, const AirPlan& air);

/// What is wrong with a radio's position: within a solid obstacle or under the ground; empty when nothing is. Path loss
/// models take z = 0 for the ground.
[[nodiscard]] std::string fault_of_place(const Configuration& configuration, const Vec3& place);

/// Robots at such positions in a scene.
void find_place_conditions(const Configuration& configuration, const Scene& scene, std::vector<Condition>& found);

/// Meshes that are in parts, by the newest link table.
void find_mesh_conditions(const Configuration& configuration, const LinkTable& table, std::vector<Condition>& found);

/// Ports that are not up, lose frames outside the packet path or send them before they are due, and robots that are
/// wired in the kernel. Control thread.
class PortConditions {
 public:
  void find(const Configuration& configuration, const std::vector<PortReport>& ports, bool wired,
            std::vector<Condition>& found);

 private:
  void find_losses(const PortReport& port, std::vector<Condition>& found);
  void find_early(const PortReport& port, std::vector<Condition>& found);

  struct Seen {
    bool up = false;
    std::uint64_t lost = 0;
    std::uint64_t overflow = 0;  // bytes
    std::uint64_t early = 0;     // frames
  };
  std::map<std::string, Seen> seen_;  // at the last look, by port
};

/// External simulators that have not connected or do not answer, and robots whose positions have not been received or
/// have become stale.
void find_simulator_conditions(const Configuration& configuration, const Windows& windows, HostTime now,
                               std::vector<Condition>& found);

/// Gateways that are not one air with this one, and whose robots are unreachable for that.
void find_site_conditions(const Configuration& configuration, const SiteReport& site, std::vector<Condition>& found);

/// An output that a configuration requires in addition to the traffic, and that is not running.
struct StoppedOutput {
  std::string name;  // record, capture, web, ros2, site, or "ptp on" a port
  std::string why;
  std::string remedy;
  bool is_logged = true;  // false: already logged
};
Condition stopped_condition(const StoppedOutput& output);

/// No router of the robot can connect by DLEP: what is wrong with the interface.
Condition dlep_interface_condition(const std::string& robot, const std::string& problem);

/// The robot's router has no session of DLEP, and why.
Condition dlep_session_condition(const std::string& robot, const std::string& interface, const std::string& why);

/// This gateway restarts its simulation as that of the others, because its own began separately.
Condition rejoining_condition(const Configuration& configuration, const SiteRejoining& rejoining);

}  // namespace hilgate
