// SPDX-License-Identifier: Apache-2.0
// The sections of a configuration file, one function each. They collect faults in the reader's document and leave
// defaults behind where there was one. Order matters: later sections refer to robots and ports by name.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "config/yaml_reader.h"
#include "gateway/configuration/configuration.h"
#include "gateway/configuration/known_names.h"

namespace hilgate {

void read_general(YamlReader& root, Configuration& configuration);
void read_ports(YamlReader& root, Configuration& configuration);
void read_netsim(YamlReader& root, Configuration& configuration);
/// The links of the netsim `trace`, behind robots and cores.
void read_traces(YamlReader& root, Configuration& configuration);
void read_robots(YamlReader& root, const KnownNames& known, Configuration& configuration);
/// Of `netsim:` what makes it a network of access points; robots and netsim have been read.
void read_access_points(YamlReader& root, const KnownNames& known, Configuration& configuration);
void read_physics(YamlReader& root, const KnownNames& known, Configuration& configuration);
/// `kernel: {links: ...}`, whether links are decided in the kernel.
void read_kernel_links(YamlReader& root, Configuration& configuration);
/// `packet_loop:`, which cores move whose frames, and `scheduling`.
void read_cores(YamlReader& root, Configuration& configuration);
void read_links(YamlReader& root, Configuration& configuration);
void read_lab(YamlReader& root, Configuration& configuration);
/// `mavlink:`, `dds:`, `cot:`, `dis:`, and the robots' system_id, positions_from, radio_status, rssi_feed, gnss and
/// dlep. After the sections that it refers to.
void read_telemetry(YamlReader& root, Configuration& configuration);
/// `pace`, `dilate`, `late`, `lag`, and what they ask of physics and netsim, which have been read.
void read_pace(YamlReader& root, Configuration& configuration);
/// `clock:`, the reference, and `serve` under it; ports and pace have been read.
void read_clock(YamlReader& root, Configuration& configuration);
void read_serve(YamlReader& clock, Configuration& configuration);

/// The keys of a simulator at the other end of a socket, `usual` by default.
SimulatorConfig read_simulator(YamlReader& map, SimulatorProtocol protocol, const std::string& usual,
                               Nanoseconds window);
/// The keys of `physics:` with one of the types that push positions.
FeedConfig read_cornet(YamlReader& physics, const Configuration& configuration);
FeedConfig read_cornet2(YamlReader& physics, const Configuration& configuration);
FeedConfig read_flynetsim(YamlReader& physics, const Configuration& configuration);
FeedConfig read_robonetsim(YamlReader& physics, const Configuration& configuration);
FeedConfig read_avens(YamlReader& physics, const Configuration& configuration);
/// Of Cursor on Target; the robots' names in physics are uids or callsigns.
FeedConfig read_cot_physics(YamlReader& physics, const Configuration& configuration);
/// `domain` and `interface`, where ROS 2 is.
Ros2Place read_ros2_place(YamlReader& map);
/// The entities are the robots' names in physics.
void read_dis_physics(YamlReader& physics, Configuration& configuration);
/// `dis:`, where radios are sent. What they emit is in their profiles, which the reader of configurations adds.
void read_dis(YamlReader& root, Configuration& configuration);
/// Of ROS 2, whose poses come by a process of our own.
void read_ros2_physics(YamlReader& physics, Configuration& configuration);

/// The names of a table's rows, with their indices, as YamlReader::choice() takes them.
template <class Rows>
std::vector<std::pair<std::string, std::size_t>> types_of(const Rows& rows) {
  std::vector<std::pair<std::string, std::size_t>> types;
  for (const auto& row : rows) {
    types.emplace_back(row.name, types.size());
  }
  return types;
}

/// Of `physics:` what positions are relative to: `origin` and `scene`. Before all sections with positions.
void read_scene(YamlReader& root, const KnownNames& known, SceneConfig& scene);
/// The buildings of the scene, with materials that are added to the world's, whose own have been read.
void lay_buildings(WorldConfig& world);

/// The keys of `physics:` with the type mavlink, but for the tracks and obstacles.
struct ReadOrigin {
  mavlink::Geodetic place;
  bool has_altitude = false;  // else 0
};
/// Where the coordinates have their origin on the earth, by the key `origin` or that of `scene`; nothing without
/// it.
std::optional<ReadOrigin> read_origin(YamlReader& physics);
VehiclesConfig read_vehicles(YamlReader& physics);

/// `dpdk:`, how DPDK is started.
void read_dpdk(YamlReader& root, Configuration& configuration);
/// The keys of a port with `driver: dpdk`.
DpdkDeviceConfig read_dpdk_device(YamlReader& port, const std::vector<PortConfig>& before);
/// The keys of a port with `driver: memif` or `vhost_user`; of `config`, name and gateway have been read.
DpdkDeviceConfig read_dpdk_socket(YamlReader& port, DpdkKind kind, const PortConfig& config,
                                  const std::vector<PortConfig>& before);

/// The keys of a port with `driver: pty` or `serial`.
SerialPortConfig read_line(YamlReader& port, PortDriver driver, const std::vector<PortConfig>& before);
/// A robot at the end of a serial line: keys that it cannot have, and its address within the gateway.
void read_line_robot(YamlReader& robot, RobotConfig& config, const std::vector<RobotConfig>& before);
/// What does not go together with serial lines; ports, netsim and access points have been read.
void check_lines(YamlReader& root, const Configuration& configuration);

/// The list under `kernel: {pass: [...]}` of this map; empty optional when the map has no such key.
std::optional<std::vector<KernelPass>> read_kernel_pass(YamlReader& map);

/// `antenna:`, how one is mounted; without the key upright and forwards, where physics has the robot.
AntennaMount read_antenna_mount(YamlReader& map);

/// x, y and z under `key`; a fault when they are missing.
Vec3 read_position(YamlReader& map, std::string_view key);
/// Likewise, or `latitude` and `longitude` with `altitude`, above sea, or `height`, above ground.
Vec3 read_place(YamlReader& map, std::string_view key, const SceneConfig& scene);

/// `tracks:`, and for robots without one there the file under `file:` with `names:` and `time:`; or where robots stand
/// under `start:` where that is known; by `robots`, the names of those that move. Positions of a log are laid around
/// the scene's origin, or else the first of them.
std::vector<Track> read_tracks(YamlReader& physics, const std::vector<std::string>& robots, const SceneConfig& scene,
                               bool may_stand = false);
void read_capture(YamlReader& root, Configuration& configuration);
/// `netsim.simulator.robots`, and what excludes that simulator; all that it names has been read.
void read_judged_robots(YamlReader& root, Configuration& configuration);
/// `jammers:`; the netsim has been read.
void read_jammers(YamlReader& root, Configuration& configuration);
void read_record(YamlReader& root, Configuration& configuration);
void read_web(YamlReader& root, Configuration& configuration);
void read_foxglove(YamlReader& root, Configuration& configuration);
/// `ros2:`, what is published.
void read_ros2(YamlReader& root, Configuration& configuration);

}  // namespace hilgate
