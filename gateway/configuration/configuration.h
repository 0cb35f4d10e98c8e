// SPDX-License-Identifier: Apache-2.0
// Configuration: what a YAML file asked for, as typed values that have been checked. Immutable once loaded.
//
// Lists keep the order of the file, and RobotIndex and PortIndex are indices into them. Every fact that needs nothing
// but the file has been checked when a Configuration exists: names are unique, references resolve, values are in range.
// What needs the machine (an interface that exists and is up) is checked by gateway/commands/live_check.h.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "clock/time.h"
#include "config/config_file.h"
#include "config/units.h"
#include "frame/address.h"
#include "frame/frame.h"
#include "frame/headers.h"
#include "frame/port_config.h"
#include "gateway/configuration/access_network_config.h"
#include "gateway/configuration/clock_config.h"
#include "gateway/configuration/output_config.h"
#include "gateway/configuration/pace.h"
#include "gateway/configuration/scenario/scenario.h"
#include "gateway/configuration/scene_config.h"
#include "gateway/configuration/simulator_config.h"
#include "gateway/configuration/site_config.h"
#include "gateway/configuration/telemetry_config.h"
#include "gateway/configuration/web_config.h"
#include "netsim_link/air_plan.h"
#include "netsim_link/bit_errors.h"
#include "netsim_link/embedded/air_changes.h"
#include "netsim_link/embedded/antennas.h"
#include "netsim_link/impairments/flow_rules.h"
#include "netsim_link/netsim.h"
#include "netsim_link/trace/csv_columns.h"
#include "netsim_link/trace/trace.h"
#include "path/idle_wait.h"
#include "path/settings/tap.h"
#include "physics_link/obstacles.h"
#include "physics_link/trajectory/track.h"

namespace hilgate {

/// Memory that frames live in, allocated whole at start.
struct MemoryConfig {
  static constexpr std::uint32_t kMostFrames = 16'777'216;

  std::uint32_t frames = 65'536;     // buffers, [1024, kMostFrames]
  std::uint32_t frame_bytes = 2048;  // size of a buffer, 2048 or 4096
};

/// How DPDK is started, when ports need it.
struct DpdkConfig {
  bool hugepages = true;               // false: ordinary memory, for virtual devices
  std::uint32_t memory_mib = 0;        // 0: as the frames need
  std::vector<std::string> arguments;  // further EAL arguments, as they are
};

/// What a radio sends with at most.
struct RadioRate {
  double bits_per_second = 0;  // of its fastest mode
  Nanoseconds latency{0};      // of each frame, in addition to its time on the air
  std::string medium;          // whose air it shares; empty: its rate is its own
};

/// A robot with one radio, or one radio of a robot with `radios` (bodies.h).
struct RobotConfig {
  std::string name;  // "red", or "red.sik": the radio `sik` of the robot `red`
  std::string body;  // "red": what moves; radios of one body follow one another
  int line = 0;      // in Configuration::file, for messages
  PortIndex port;
  VlanId vlan = 0;               // whose frames are the robot's, on its port; 0: none, and no robot there has one
  std::vector<MacAddress> macs;  // empty only when the robot is alone on its port: every sender there is this robot
  std::vector<MacAddress> shared_macs;  // of `macs`: those that robots of other ports have, too
  std::vector<IpAddress> ips;
  std::string radio;                      // profile; empty when the netsim needs none, and when wired
  std::optional<RadioRate> radio_rate{};  // of that profile, where it fills delays with many frames
  bool wired = false;                     // on the cable between access points
  AntennaMount antenna;                   // how its radio's antenna is mounted
  std::optional<std::string> physics_id;  // the body's name in the physics simulator
  // Of the body, at the first of its radios alone.
  std::optional<std::uint8_t> system_id;     // MAVLink: whose positions are the body's; absent: the first one's
  std::optional<RobotIndex> positions_from;  // who forwards them too: the first radio of that body
  bool radio_status = false;                 // MAVLink: sends it RADIO_STATUS as a SiK radio does
  std::optional<RssiFeedConfig> rssi_feed;
  std::optional<DlepConfig> dlep;
  std::optional<GnssConfig> gnss;  // the origin of the scene then has latitude, longitude and altitude
};

struct ObstacleConfig {
  std::string name;
  Obstacle obstacle;  // its material is an index into WorldConfig::materials
};

struct MaterialConfig {
  std::string name;
  std::optional<double> loss_db;  // of one crossing, [0, 200]; absent: the built-in material of that name
};

struct TrajectoryConfig {
  std::vector<Track> tracks;  // by RobotIndex; radios of one body have the same
};

/// What stands between robots, whatever moves them.
struct WorldConfig {
  std::vector<ObstacleConfig> obstacles;
  std::vector<MaterialConfig> materials;  // those of `materials:`, then the built-in ones that obstacles name
  SceneConfig scene;                      // of the real world
};

struct JammerConfig {
  std::string name;
  Jammer jammer;
};

/// Of links between these robots, which have no radio, an external network simulator judges the packets.
struct JudgedRobots {
  ExternalNetsimConfig netsim{};
  std::vector<RobotIndex> robots{};
};

/// A file that is played, and how it is read.
struct TraceFile {
  std::filesystem::path file;
  std::string contents{};  // for people: "Mahimahi, 12 delivery opportunities in 1 s, ..."
};

/// The trace whose SINR or CQI frames from one radio to another have instead of the models'. Of the links of one file
/// at least one is between radios of one domain.
struct MeasuredSinr {
  RobotIndex from, to;
  std::shared_ptr<const TraceSchedule> trace;
  std::uint32_t file = 0;  // the same for all links that an item gives this trace
};

/// The radio models of rf_profiles decide.
struct EmbeddedConfig {
  /// A surveyed grid map (rf_profiles/survey/grid_map.h) that the robots move in, with its survey next to it.
  std::optional<std::filesystem::path> map;
  AccessNetworkConfig network;
  std::optional<std::uint32_t> threads;  // that compute the links; empty: as many as the processors have room for
  /// By LinkIndex: the traces that frames meet, null for links without one. Empty: nowhere.
  std::vector<std::shared_ptr<const Impairments>> measured;
  std::vector<MeasuredSinr> sinrs;     // a later one of the same link wins
  std::optional<JudgedRobots> judged;  // absent: no external simulator
};
/// Any other netsim in the gateway's process: `make` has what its reader has read.
struct LocalNetsimConfig {
  std::function<std::unique_ptr<Netsim>(std::size_t robots)> make;
  bool in_host_time = false;                                   // has impairments that are timed_by_host()
  std::vector<std::shared_ptr<const Impairments>> measured{};  // traces, as those of EmbeddedConfig
};
using NetsimConfig = std::variant<EmbeddedConfig, LocalNetsimConfig, ExternalNetsimConfig>;

struct DelayConfig {
  Nanoseconds base{0};  // [0, 1h], added to the release time
  std::optional<Jitter> jitter;
};

/// What configuration adds to links. Absent ends mean every robot; absent values leave what was there.
struct LinkOverride {
  std::optional<RobotIndex> from, to;
  std::optional<DelayConfig> delay;
  std::optional<BitErrors> ber;  // in addition to the radio's
  std::optional<ErrorPolicy> policy;
  std::optional<bool> protect_headers;
  std::optional<Decibels> path_loss;  // instead of the radio models'
  Impairments impairments;            // but for the jitter, which is the delay's
};

/// What configuration adds to some frames of links, in place of what it adds to the others.
struct FlowOverride {
  std::vector<RobotIndex> from, to;  // empty: every robot
  FlowRule rule;

  [[nodiscard]] bool covers(RobotIndex sender, RobotIndex receiver) const {
    const auto has = [](const std::vector<RobotIndex>& ends, RobotIndex robot) {
      return ends.empty() || std::ranges::find(ends, robot) != ends.end();
    };
    return has(from, sender) && has(to, receiver);
  }
};

/// A robot that is there already: a process, whose network namespace becomes the robot's.
struct LabAttachment {
  RobotIndex robot;
  std::variant<std::uint32_t, std::string> to;  // a process id, or the name of a container of podman or docker
  std::string interface = "eth0";               // of the robot's end, within
};

/// A robot that `hilgate lab` starts as a virtual machine.
struct VmConfig {
  enum class Processor : std::uint8_t { kAuto, kKvm, kEmulated };  // kAuto: KVM where it can be used

  std::filesystem::path image;                      // its disk; empty: none, and then there is a kernel
  std::filesystem::path kernel, initrd;             // empty: what the disk boots
  std::string append;                               // the kernel's command line
  std::uint64_t memory = std::uint64_t{512} << 20;  // bytes, [64MiB, 1TiB]
  std::uint32_t cpus = 1;                           // [1, 255]
  Processor processor = Processor::kAuto;
  bool keep = false;                     // writes to the disk are kept in the image
  std::vector<std::string> arguments{};  // of QEMU's, after the lab's own
};

/// A robot that `hilgate lab` starts as a container.
struct ContainerConfig {
  std::filesystem::path bundle;        // folder with config.json and a root file system, for runc or crun; or
  std::string image;                   // that podman has
  std::vector<std::string> command{};  // instead of the bundle's or image's; empty: that
};

struct LabMachine {
  RobotIndex robot;
  std::variant<VmConfig, ContainerConfig> as;
};

/// Robots as network namespaces on this machine.
struct LabConfig {
  std::uint32_t mtu = 1500;  // bytes of IP packet, [68, 9000]; at least 1280 when a robot has an IPv6 address
  std::uint8_t ipv4_prefix = 24;
  std::uint8_t ipv6_prefix = 64;
  bool quiet = true;                    // the kernel sends no duplicate address detection and no router solicitations
  std::vector<LabAttachment> attach{};  // robots without one get a namespace of their own
  std::vector<LabMachine> machines{};   // what is started in that
};

/// A processor with a packet loop for some of the ports.
struct CoreConfig {
  std::optional<std::uint32_t> cpu;  // pinned to it, [0, 1023]
  std::vector<PortIndex> ports;
  IdleMode idle = IdleMode::kSleep;  // what the loop does when there is nothing to do
  bool real_time = false;            // its thread has a real-time priority; only of one that sleeps when idle
};

/// The window that a run begins with.
struct RunBegin {
  SimTime at{};
  std::uint64_t window = 0;
  std::optional<WallTime> site_zero{};  // when the site's simulation time was 0; nothing: it begins here
};

struct Configuration {
  std::filesystem::path file;
  std::vector<FileReference> references;    // files and folders that it names, but for keys and what the run writes
  std::vector<TraceFile> traces;            // each once
  std::vector<std::string> repeated_links;  // what a later item for the same pair replaces: a line for each, for people
  std::vector<std::string> old_keys;        // of earlier versions, that the file has: a line for each, for people
  std::string name;                         // letters, digits, '-', '_': names the control socket and the lab
  std::uint64_t seed = 1;
  Nanoseconds window{1'000'000};  // [100us, 10s]
  Pace pace = Pace::kWall;
  Dilation dilation{};  // pace dilate: [1, 10000000] ppm
  FollowConfig follow;  // pace follow
  LatePolicy late = LatePolicy::kHoldLast;
  bool lag_one_window = true;  // an external netsim works on the scene of the window before
  ClockConfig clock;
  MemoryConfig memory;
  std::uint32_t hold_frames = 65'536;  // capacity of the hold, deliveries, [64, 16777216]
  bool kernel_links = false;           // links out of range or perfect are decided in XDP; every port has a fail mode
  std::vector<CoreConfig> cores;       // that move frames, at least one; every port is on one of them
  bool real_time = false;              // the control thread has a real-time priority
  std::vector<std::filesystem::path> profile_paths;  // searched before the installed ones
  std::chrono::milliseconds heartbeat_stale{
      50};  // ports with a fail mode: a packet loop silent so long is dead; [2ms, 1h]
  DpdkConfig dpdk;
  std::optional<SiteConfig> site;  // one air with other gateways
  std::vector<PortConfig> ports;   // all of one driver; those of other gateways of the site are last
  std::vector<RobotConfig> robots;
  std::optional<TrajectoryConfig> physics;  // one of the two is present whenever the netsim is embedded
  std::variant<std::monostate, SimulatorConfig, FeedConfig> external_physics;
  WorldConfig world;
  std::vector<JammerConfig> jammers;    // with the netsim embedded
  std::optional<Ros2Input> ros2_input;  // the input of external_physics of that kind
  std::optional<Ros2Output> ros2_output;
  std::optional<VehiclesConfig> vehicles;  // with `physics`, whose tracks hold until vehicles have spoken
  std::optional<MavlinkConfig> mavlink;    // present whenever a feature needs it
  std::optional<DdsConfig> dds;
  std::optional<CotConfig> cot;  // the origin of the scene then has latitude, longitude and altitude
  std::optional<DisConfig> dis;  // likewise
  NetsimConfig netsim;
  std::optional<std::filesystem::path> recorded_air;  // a record whose link tables replace those of the netsim
  std::vector<LinkOverride> links;                    // in file order; a later one wins value by value
  std::vector<FlowOverride> flows;                    // in file order; the first whose filter a frame matches decides
  std::optional<LabConfig> lab;
  std::optional<CaptureConfig> capture;
  std::optional<RecordConfig> record;
  std::optional<WebConfig> web;
  std::optional<FoxgloveConfig> foxglove;
  std::optional<Scenario> scenario;  // of the file, or of the command line
  RunBegin begin;                    // by the command line
};

/// `base`, which has no impairments but a trace, with every override for the link from -> to laid over it, in file
/// order.
LinkRules link_rules(const Configuration& configuration, RobotIndex from, RobotIndex to, LinkRules base = {});

/// The external physics or network simulator; null without.
const SimulatorConfig* physics_simulator(const Configuration& configuration);
const ExternalNetsimConfig* external_netsim(const Configuration& configuration);
/// The robots whose links an external simulator decides next to the embedded radios of others; null: it decides all
/// links or none.
const JudgedRobots* judged_robots(const Configuration& configuration);
/// Whether an external simulator, where there is one, decides the robot's links to others of these.
bool is_judged(const Configuration& configuration, RobotIndex robot);

/// Whether frames wait for the verdicts of a network simulator: an external one that decides each packet, or the one
/// of air_in_sim_time().
bool judged_by_packet(const Configuration& configuration);
/// Whether the air runs in simulated time: in lockstep, with a netsim that reports link states.
bool air_in_sim_time(const Configuration& configuration);

/// Infrastructure mode; null without.
const AccessNetworkConfig* access_network(const Configuration& configuration);

/// The number of entries in link tables: robots, then access points.
std::size_t link_ends(const Configuration& configuration);

/// Whether frames from one robot to another pass the gateway: not between robots that one port's switch connects, and
/// not between radios of one body.
bool are_linked(const Configuration& configuration, RobotIndex from, RobotIndex to);

/// The core of every port, by PortIndex: an index into Configuration::cores.
std::vector<std::size_t> core_of_ports(const Configuration& configuration);

/// The events that the packet path reports.
TapSettings tap_of(const Configuration& configuration);
/// Whether some robot is sent what its radio reads.
bool has_rssi_feeds(const Configuration& configuration);
/// Whether some robot is sent its position.
bool has_gnss(const Configuration& configuration);

/// This gateway, of a site; null when it is alone, or not one of the site's.
const GatewayConfig* own_gateway(const Configuration& configuration);

/// Radios of several gateways of a site may be on one medium, which one of them decides.
bool radios_may_meet(const Configuration& configuration);

/// Robots by whose links this gateway does its work, by RobotIndex: of a site those at its ports, where
/// radios of several gateways do not meet. Empty: all are. Between two others it computes, counts and shows no link;
/// draws are by the pair alone, so that the rest is as it would be.
std::vector<bool> robots_here(const Configuration& configuration);

/// Whether other programs report robots' positions or links, or robots their own positions: earlier windows cannot be
/// computed afterwards.
bool is_air_external(const Configuration& configuration);

/// Whether some port stays in the kernel when the gateway is gone.
bool has_fail_mode(const Configuration& configuration);

/// Where runs listen for `status`: /run/hilgate/<name>.sock.
std::filesystem::path control_folder();
std::filesystem::path control_socket(const std::string& run);

/// Rules of `next` that `running` has, too (same robots by name, same filter), count on where those are, and links
/// remember what they did of them.
void take_over_counts(const Configuration& running, Configuration& next);

/// The names of a rule's ends, "*" for every robot.
std::vector<std::string> end_names(const Configuration& configuration, const std::vector<RobotIndex>& ends);

}  // namespace hilgate
