// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/configuration.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "gateway/configuration/frame_memory.h"
#include "gateway/configuration/reader/configuration_warnings.h"
#include "tests/gateway/configuration/config_fixture.h"

namespace hilgate::test {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;
using namespace std::chrono_literals;

const std::string kExamples = HILGATE_SOURCE_DIR "/examples/";

TEST(Configuration, ReadsTheFirstExample) {
  const Configuration config = load_configuration(kExamples + "first/two-robots.yaml", some_names());
  EXPECT_EQ(config.name, "first");
  EXPECT_EQ(config.seed, 1u);
  EXPECT_EQ(config.window, 1ms);
  ASSERT_EQ(config.ports.size(), 2u);
  EXPECT_EQ(config.ports[1].name, "blue-port");
  EXPECT_EQ(config.ports[1].interface, "hg-blue");
  EXPECT_EQ(config.ports[1].xdp, XdpMode::kAuto);
  EXPECT_THAT(config.ports[1].kernel_pass, IsEmpty());
  ASSERT_EQ(config.robots.size(), 2u);
  EXPECT_EQ(config.robots[1].port, PortIndex{1});
  EXPECT_THAT(config.robots[1].macs, ElementsAre(*MacAddress::parse("02:68:67:00:00:02")));
  EXPECT_THAT(config.robots[1].ips, ElementsAre(*IpAddress::parse("10.77.0.2"), *IpAddress::parse("fd77::2")));
  EXPECT_EQ(config.robots[1].radio, "wifi_11n_2g4_adhoc");
  EXPECT_EQ(config.lab->mtu, 1500u);
  EXPECT_TRUE(config.lab->quiet);
}

TEST(Configuration, ARobotsAddressesMayBeSharedEachByItself) {
  const Configuration config = read_yaml(
      "name: t\nports: {p: {interface: a}, q: {interface: b}}\nnetsim: {type: wire}\nrobots:\n"
      "  red: {port: p, mac: [02:00:00:00:00:01, {address: 02:00:00:00:00:09, shared: true}]}\n"
      "  blue: {port: q, mac: {address: 02:00:00:00:00:09, shared: true}}\n");
  const MacAddress shared = *MacAddress::parse("02:00:00:00:00:09");
  EXPECT_THAT(config.robots[0].macs, ElementsAre(*MacAddress::parse("02:00:00:00:00:01"), shared));
  EXPECT_THAT(config.robots[0].shared_macs, ElementsAre(shared));
  EXPECT_THAT(config.robots[1].macs, ElementsAre(shared));
  EXPECT_THAT(config.robots[1].shared_macs, ElementsAre(shared));
}

TEST(Configuration, RingsOfManyPortsLeaveFramesToHold) {
  const MemoryConfig memory;
  EXPECT_EQ(ring_entries(memory, 2), 2048u);
  EXPECT_EQ(ring_entries(memory, 24), 2048u);
  EXPECT_EQ(ring_entries(memory, 33), 1024u);
  EXPECT_EQ(ring_entries(memory, 256), 128u);
  for (std::size_t ports = 1; ports <= 600; ++ports) {
    EXPECT_LT(ring_entries(memory, ports) * ports, memory.frames) << ports;
    EXPECT_LE(ring_entries({.frames = static_cast<std::uint32_t>(least_frames(ports))}, ports) * ports,
              least_frames(ports) * 3 / 4)
        << ports;
  }
  std::string ports = "name: many\nmemory: {frames: 1024}\nports:\n";
  std::string robots = "robots:\n";
  for (int i = 0; i < 20; ++i) {
    ports += fmt::format("  p{0}: {{interface: i{0}}}\n", i);
    robots += fmt::format("  r{0}: {{port: p{0}}}\n", i);
  }
  EXPECT_THAT(faults_in(ports + robots + "netsim: {type: wire}\n"),
              ElementsAre("f.yaml:2: memory.frames: 1024 frames are too few for 20 ports; the minimum is 1707"));
}

TEST(Configuration, WarnsOfRobotsWithoutARouteToEachOther) {
  EXPECT_THAT(warnings(read_yaml(with_line(14, "    mac: 02:00:00:00:00:02\n    ip: 10.0.0.2"))), IsEmpty());
  EXPECT_THAT(
      warnings(read_yaml(with_line(14, "    mac: 02:00:00:00:00:02\n    ip: 10.9.0.2"))),
      ElementsAre("f.yaml:12: robots.blue.ip: 10.9.0.2 is in another subnet of /24 than red: neither has a route "
                  "to the other"));
}

// The reference of earlier versions, without its comments: after an upgrade they go on.
class EarlierConfiguration : public testing::TestWithParam<const char*> {};

TEST_P(EarlierConfiguration, StillLoads) {
  const std::string file =
      fmt::format("{}/tests/gateway/configuration/earlier/{}.yaml", HILGATE_SOURCE_DIR, GetParam());
  const Configuration config = load_configuration(file, some_names());
  EXPECT_EQ(config.name, "reference");
  EXPECT_THAT(config.old_keys,
              ElementsAre(EndsWith(": hot_loop: is called 'packet_loop' now; the old name still counts, rename it")));
}

INSTANTIATE_TEST_SUITE_P(Versions, EarlierConfiguration, testing::Values("first", "impairments", "0.1.0"),
                         [](const auto& version) { return fmt::format("n{}", version.index); });

TEST(Configuration, ReadsTracksAndObstacles) {
  const Configuration config = load_configuration(kExamples + "reference.yaml", some_names());
  ASSERT_EQ(config.physics->tracks.size(), 2u);
  EXPECT_EQ(config.physics->tracks[1][1].at, SimTime{60s});
  EXPECT_EQ(config.physics->tracks[1][1].position, (Vec3{150, 0, 10}));
  ASSERT_EQ(config.world.obstacles.size(), 2u);
  const auto& [name, shed] = config.world.obstacles[0];
  EXPECT_EQ(name, "shed");
  EXPECT_EQ(shed.box.low, (Vec3{40, 20, 0}));
  EXPECT_DOUBLE_EQ(*shed.wall_m, 0.2);
  EXPECT_EQ(config.world.materials[shed.material].name, "brick");
  EXPECT_FALSE(config.world.materials[shed.material].loss_db);
  const Obstacle& hedge = config.world.obstacles[1].obstacle;
  EXPECT_FALSE(hedge.wall_m);
  EXPECT_EQ(config.world.materials[hedge.material].name, "foliage");
  EXPECT_DOUBLE_EQ(*config.world.materials[hedge.material].loss_db, 6);
}

TEST(Configuration, KernelTrafficIsConfiguredByPortOrGateway) {
  const Configuration config = load_configuration(kExamples + "reference.yaml", some_names());
  using Match = KernelPass::Match;
  const KernelPass lldp{Match::kEthertype, 0x88cc};
  EXPECT_THAT(config.ports[0].kernel_pass, ElementsAre(lldp));
  EXPECT_THAT(config.ports[1].kernel_pass,
              ElementsAre(lldp, KernelPass{Match::kTcpPort, 22}, KernelPass{Match::kEthertype, 0x88b5},
                          KernelPass{Match::kUdpPort, 5353}, KernelPass{Match::kTcpPort, 8080}));
}

TEST(Configuration, AKeyThatAPairIsGivenTwiceIsWarnedOf) {
  EXPECT_THAT(warnings(read_yaml(with_line(23,
                                           "links:\n  - {from: red, to: '*', delay: 1ms, loss: 1 %}\n"
                                           "  - {from: red, to: blue, loss: 2 %}\n"
                                           "  - {from: red, to: '*', delay: 2ms, ber: 1e-6}\n"
                                           "  - {from: red, to: '*', delay: 3ms}"))),
              ElementsAre("f.yaml:26: links[2]: gives 'delay' from 'red' to '*' again; that in line 24 has no effect",
                          "f.yaml:27: links[3]: gives 'delay' from 'red' to '*' again; that in line 26 has no effect"));
}

TEST(Configuration, LaysLinkOverridesOverEachOtherKeyByKey) {
  const Configuration config =
      read_yaml(with_line(23,
                          "links: [{from: '*', to: '*', ber: 1e-7}, {from: red, to: blue, delay: 1ms, loss: 0.1 %}, "
                          "{from: red, to: '*', policy: arq}]"));
  const RobotIndex red{0}, blue{1};
  const LinkRules there = link_rules(config, red, blue);
  EXPECT_EQ(there.policy, ErrorPolicy::kArq);
  EXPECT_EQ(there.extra_delay, 1ms);
  EXPECT_DOUBLE_EQ(std::get<IndependentLoss>(there.impairments->loss.value()).probability, 0.001);
  EXPECT_DOUBLE_EQ(there.extra_hazard.per_bit, -std::log1p(-1e-7));
  LinkRules base;
  base.extra_delay = 3ms;
  base.policy = ErrorPolicy::kMarkOnly;
  const LinkRules back = link_rules(config, blue, red, base);
  EXPECT_EQ(back.policy, ErrorPolicy::kMarkOnly);
  EXPECT_EQ(back.extra_delay, 3ms);
  EXPECT_EQ(back.impairments, nullptr);
  EXPECT_DOUBLE_EQ(back.extra_hazard.per_bit, -std::log1p(-1e-7));
}

TEST(Configuration, KnowsBitErrorRateOneAsCertainError) {
  const auto config = read_yaml(with_line(23, "links: [{from: red, to: blue, ber: 1}]"));
  EXPECT_TRUE(std::isinf(link_rules(config, RobotIndex{0}, RobotIndex{1}).extra_hazard.per_bit));
}

TEST(Configuration, HasDefaultsForOmittedKeys) {
  const Configuration config =
      read_yaml("name: t\nports: {p: {interface: a}}\nrobots: {red: {port: p}}\nnetsim: {type: wire}");
  EXPECT_EQ(config.seed, 1u);
  EXPECT_EQ(config.window, 1ms);
  EXPECT_EQ(config.memory.frames, 65536u);
  EXPECT_EQ(config.memory.frame_bytes, 2048u);
  EXPECT_EQ(config.hold_frames, 65536u);
  ASSERT_EQ(config.cores.size(), 1U);
  EXPECT_FALSE(config.cores[0].cpu);
  EXPECT_EQ(config.cores[0].ports.size(), config.ports.size());
  EXPECT_FALSE(config.physics);
  EXPECT_FALSE(config.lab);
  EXPECT_TRUE(std::holds_alternative<LocalNetsimConfig>(config.netsim));
  EXPECT_THAT(config.robots[0].macs, IsEmpty());
  EXPECT_EQ(control_socket(config.name), "/run/hilgate/t.sock");
}

TEST(Configuration, LoopsSleepWhenIdleUnlessACoreIsReservedForThem) {
  const std::string rest =
      "name: t\nports: {p: {interface: a}, q: {interface: b}}\nrobots: {red: {port: p, mac: 02:00:00:00:00:01}, "
      "blue: {port: q, mac: 02:00:00:00:00:02}}\nnetsim: {type: wire}\n";
  const auto idle = [&](const std::string& packet_loop) {
    std::vector<IdleMode> modes;
    for (const CoreConfig& core : read_yaml(rest + packet_loop).cores) {
      modes.push_back(core.idle);
    }
    return modes;
  };
  EXPECT_THAT(idle(""), ElementsAre(IdleMode::kSleep));
  EXPECT_THAT(idle("packet_loop: {cpu: 1}"), ElementsAre(IdleMode::kPoll));
  EXPECT_THAT(idle("packet_loop: {cpu: 1, idle: sleep}"), ElementsAre(IdleMode::kSleep));
  EXPECT_THAT(idle("packet_loop: {idle: poll}"), ElementsAre(IdleMode::kPoll));
  EXPECT_THAT(idle("hot_loop: {idle: poll}"), ElementsAre(IdleMode::kPoll)) << "its former name";
  EXPECT_THAT(idle("packet_loop: {cores: [{cpu: 1, ports: [p]}, {ports: [q]}]}"),
              ElementsAre(IdleMode::kPoll, IdleMode::kSleep));
}

/// A key's path without what people choose: "robots.red.mac" is "robots.*.mac", "links[2].to" is "links[].to".
std::string kind_of(std::string path) {
  for (const std::string parent :
       {"robots.", "ports.", "physics.tracks.", "physics.materials.", "physics.start.", "netsim.access_points."}) {
    if (path.starts_with(parent)) {
      path.replace(parent.size(), std::min(path.size(), path.find_first_of(".[", parent.size())) - parent.size(), "*");
    }
  }
  for (auto open = path.find('['); open != std::string::npos; open = path.find('[', open + 1)) {
    path.erase(open + 1, path.find(']', open) - open - 1);
  }
  return path;
}

void collect_keys(const YAML::Node& node, const std::string& path, std::set<std::string>& keys) {
  if (node.IsMap()) {
    for (const auto& pair : node) {
      const auto key = (path.empty() ? "" : path + ".") + pair.first.Scalar();
      keys.insert(kind_of(key));
      collect_keys(pair.second, key, keys);
    }
  } else if (node.IsSequence()) {
    for (const auto& item : node) {
      collect_keys(item, path + "[0]", keys);
    }
  }
}

TEST(Configuration, ReferenceShowsEveryKeyTheReaderKnows) {
  YamlDocument document = YamlDocument::load(kExamples + "reference.yaml");
  read_configuration(document, some_names());
  std::set<std::string> known;
  for (const std::string& key : document.known_keys()) {
    known.insert(kind_of(key));
  }
  document.finish();
  std::set<std::string> shown;
  collect_keys(YAML::LoadFile(kExamples + "reference.yaml"), "", shown);
  known.erase("physics.file");       // it is for robots that physics.tracks has not, so it stands in a comment
  known.erase("links[].path_loss");  // it excludes access points, likewise
  known.erase("dpdk");               // examples/dpdk.yaml shows it
  known.erase("netsim.traces");      // examples/swarm shows it
  known.erase("netsim.simulator");   // docs/how-to/radios.md shows it
  known.erase("physics.scene");      // examples/places shows it
  known.erase("web.tiles");          // `check` opens the file; docs/how-to/web.md shows it
  known.erase("web.plan");           // likewise
  known.erase("site");               // examples/site/site.yaml shows it, and with it whose a port is
  known.erase("ports.*.gateway");
  known.erase("robots.*.radios");  // it excludes the keys of one radio; examples/radios shows it
  std::vector<std::string> one_sided;
  std::ranges::set_symmetric_difference(shown, known, std::back_inserter(one_sided));
  EXPECT_THAT(one_sided, testing::IsEmpty()) << "in one of the file and the reader";
}

TEST(Configuration, ReadsTheClock) {
  const ClockConfig config = load_configuration(kExamples + "reference.yaml", some_names()).clock;
  EXPECT_FALSE(config.automatic);
  EXPECT_EQ(config.reference.kind, ReferenceKind::kPtp4l);
  EXPECT_EQ(config.reference.ptp4l.server, "/var/run/ptp4l");
  EXPECT_EQ(config.reference.phc, "");
  EXPECT_EQ(config.discipline.monitor.drift_ppb, 1000);
  EXPECT_EQ(config.discipline.jumps.farthest, 10s);
  ASSERT_EQ(config.serve.size(), 1u);
  EXPECT_EQ(config.serve[0].time, ServeConfig::Time::kSim);
  EXPECT_EQ(config.serve[0].master.log_sync_interval, -3);
  EXPECT_EQ(config.serve[0].master.rule, MasterRule::kInsist);
}

TEST(Configuration, FollowsNoReferenceByDefault) {
  const Configuration config = load_configuration(kExamples + "first/two-robots.yaml", some_names());
  EXPECT_EQ(config.clock.reference.kind, ReferenceKind::kMonotonic);
  EXPECT_THAT(config.clock.serve, IsEmpty());
}

class SimulatorExample : public testing::TestWithParam<const char*> {};

TEST_P(SimulatorExample, ShowsEveryKeyTheReaderKnows) {
  const std::string file = kExamples + "simulators/" + GetParam() + ".yaml";
  YamlDocument document = YamlDocument::load(file);
  read_configuration(document, some_names());
  std::set<std::string> shown;
  collect_keys(YAML::LoadFile(file), "", shown);
  // What a simulator's section can hold, but for the keys of the sections that reference.yaml shows.
  for (const std::string& key : document.known_keys()) {
    if ((key.starts_with("physics.") || key.starts_with("netsim.")) && !key.starts_with("physics.tracks") &&
        !key.starts_with("physics.start.") && !key.starts_with("physics.poses.") &&
        !key.starts_with("physics.obstacles[")) {
      const std::set<std::string> elsewhere = {
          "physics.materials",   "physics.obstacles", "physics.file",    "netsim.map",     "netsim.access_points",
          "netsim.distribution", "netsim.roaming",    "netsim.record",   "netsim.threads", "physics.origin",
          "physics.scene",       "netsim.traces",     "netsim.simulator"};
      EXPECT_TRUE(elsewhere.contains(key) || shown.contains(key)) << key;
    }
  }
  document.finish();
}

INSTANTIATE_TEST_SUITE_P(Simulators, SimulatorExample,
                         testing::Values("rosnetsim", "lockstep", "native", "dancers", "cornet", "cornet2", "flynetsim",
                                         "robonetsim", "avens", "follow", "mavlink", "ros2", "dis", "cot"));

TEST(Configuration, ReadsSimulatorsOfTheirOwnProcess) {
  const Configuration config = load_configuration(kExamples + "simulators/native.yaml", some_names());
  EXPECT_EQ(config.pace, Pace::kDilate);
  EXPECT_EQ(config.dilation.ppm, 500'000u);
  const SimulatorConfig* physics = physics_simulator(config);
  ASSERT_NE(physics, nullptr);
  EXPECT_EQ(physics->protocol, SimulatorProtocol::kNative);
  EXPECT_EQ(physics->address, Endpoint::parse("unix:/run/hilgate/native/physics.sock"));
  EXPECT_EQ(physics->listen, true);
  EXPECT_EQ(physics->step, 5ms);
  EXPECT_EQ(physics->patience, 0s);
  const ExternalNetsimConfig* netsim = external_netsim(config);
  ASSERT_NE(netsim, nullptr);
  EXPECT_TRUE(netsim->by_packet);
  EXPECT_FALSE(netsim->resolution_around);
  EXPECT_EQ(netsim->simulator.step, 10ms);
  EXPECT_EQ(netsim->expiry, 2s);
}

TEST(Configuration, HasTheSocketsOfTheRunAsDefaults) {
  const Configuration config = read_yaml(
      "name: t\nlate: halt\nlag: none\npace: lockstep\nports: {p: {interface: a}}\n"
      "robots: {red: {port: p, ip: 10.0.0.1}}\nphysics: {type: dancers}\nnetsim: {type: rosnetsim, compat: true}");
  EXPECT_EQ(config.pace, Pace::kLockstep);
  EXPECT_EQ(config.late, LatePolicy::kHalt);
  EXPECT_FALSE(config.lag_one_window);
  EXPECT_EQ(physics_simulator(config)->address, Endpoint::parse("unix:/run/hilgate/t/physics.sock"));
  EXPECT_EQ(physics_simulator(config)->step, 0s);
  const ExternalNetsimConfig& netsim = *external_netsim(config);
  EXPECT_EQ(netsim.simulator.protocol, SimulatorProtocol::kRosNetSim);
  EXPECT_EQ(netsim.simulator.address, Endpoint::parse("unix:/run/hilgate/t/netsim.sock"));
  EXPECT_FALSE(netsim.simulator.listen);
  EXPECT_EQ(netsim.simulator.patience, 60s);
  EXPECT_EQ(netsim.simulator.timeout, 10s);
  EXPECT_TRUE(netsim.compat);
  EXPECT_FALSE(netsim.extensions);
  EXPECT_TRUE(netsim.resolution_around) << "its simulators know IPv4 alone";
  EXPECT_EQ(netsim.expiry, 1s);
}

TEST(Configuration, ReadsPositionFeeds) {
  const auto feed = [](const std::string& physics) {
    return std::get<FeedConfig>(read_yaml("name: t\nports: {p: {interface: a}}\nrobots: {red: {port: p}}\n"
                                          "netsim: {type: wire}\nphysics: " +
                                          physics)
                                    .external_physics)
        .sockets;
  };
  EXPECT_THAT(feed("{type: cornet, clock: /tmp/c}"),
              ElementsAre("unix:/tmp/c", "unix:/run/hilgate/t/cornet_positions.sock"));
  EXPECT_THAT(feed("{type: cornet2}"), ElementsAre("tcp:127.0.0.1:12345"));
  EXPECT_THAT(feed("{type: robonetsim, address: '10.0.0.9:77', insecure: true}"), ElementsAre("tcp:10.0.0.9:77"));
  EXPECT_THAT(feed("{type: flynetsim}"), ElementsAre("tcp://127.0.0.1:5600"));
  EXPECT_THAT(feed("{type: avens, file: p.xml}"), ElementsAre());
}

TEST(Configuration, ReadsVehiclesAndTheirReports) {
  const Configuration config = load_configuration(kExamples + "simulators/mavlink.yaml", some_names());
  ASSERT_TRUE(config.vehicles);
  EXPECT_EQ(config.vehicles->origin, (mavlink::Geodetic{47.3977, 8.5456, 488}));
  ASSERT_TRUE(config.physics);
  EXPECT_EQ(config.physics->tracks[1].front().position, (Vec3{20, 0, 0}));
  ASSERT_TRUE(config.mavlink);
  EXPECT_THAT(config.mavlink->ports, testing::ElementsAre(14550, 14540));
  EXPECT_TRUE(config.vehicles->origin_has_altitude);
  EXPECT_EQ(config.robots[0].system_id, 1);
  EXPECT_TRUE(config.robots[0].radio_status);
  ASSERT_TRUE(config.robots[0].rssi_feed);
  EXPECT_EQ(config.robots[0].rssi_feed->to.text(), "10.80.0.1");
  EXPECT_EQ(config.robots[0].rssi_feed->from.text(), "10.80.0.2");
  EXPECT_EQ(config.robots[0].rssi_feed->port, 5005);
  EXPECT_EQ(config.robots[0].rssi_feed->every, 200ms);
  EXPECT_FALSE(config.robots[1].system_id);
  EXPECT_TRUE(tap_of(config).on);
}

TEST(Configuration, ListensToMavlinkOnlyWhereItIsUsed) {
  EXPECT_FALSE(tap_of(read_yaml(good_yaml())).on);
  const Configuration status = read_yaml(with_line(8, "    port: p1\n    radio_status: true"));
  EXPECT_TRUE(tap_of(status).on);
  EXPECT_THAT(tap_of(status).ports, testing::Contains(14550));
  const Configuration feed = read_yaml(with_line(8, "    port: p1\n    rssi_feed: {port: 7, from: 10.0.0.9}"));
  EXPECT_TRUE(tap_of(feed).on);
  EXPECT_THAT(tap_of(feed).ports, IsEmpty());
}

TEST(Configuration, ReadsDlepModems) {
  const Configuration config = read_yaml(with_line(8, "    port: p1\n    dlep: {interface: dlep0, heartbeat: 1s}"));
  EXPECT_EQ(config.robots[0].dlep, (DlepConfig{.interface = "dlep0", .heartbeat = 1s}));
  EXPECT_EQ(config.robots[0].dlep->port, 854);
  EXPECT_TRUE(config.robots[0].dlep->discovery);
  EXPECT_FALSE(config.robots[1].dlep);
}

TEST(Configuration, ReadsPositionOutputs) {
  const std::string origin = "  type: trajectory\n  origin: {latitude: 47, longitude: 8, altitude: 0m}";
  std::string yaml = with_line(17, origin) + "cot: {to: 239.2.3.1, every: 8s, robots: {blue: {callsign: B}}}\n";
  const std::string radio = "    radio: wifi_other\n";
  yaml.insert(yaml.find(radio), "    gnss: {port: 10110, rate: 5 Hz, from: 10.0.0.7, error: {sigma: 2 m}}\n");
  const Configuration config = read_yaml(yaml);
  const GnssConfig& gnss = config.robots[0].gnss.value();
  EXPECT_EQ(gnss.port, 10'110);
  EXPECT_EQ(gnss.every, 200ms);
  EXPECT_EQ(gnss.to.text(), "10.0.0.1");
  EXPECT_EQ(gnss.error.sigma_up_m, 2);
  EXPECT_EQ(gnss.error.correlation, 0s);
  EXPECT_TRUE(tap_of(config).on) << "the packet loop takes frames of feeds";
  const CotConfig& cot = config.cot.value();
  EXPECT_EQ(cot.port, 6969);
  EXPECT_EQ(cot.stale, 16s);
  EXPECT_EQ(cot.robots[0].uid, "hilgate.t.red");
  EXPECT_EQ(cot.robots[1].callsign, "B");
  EXPECT_EQ(cot.robots[1].type, "a-f-G");
}

TEST(Configuration, ListensForParticipantsOfDds) {
  EXPECT_FALSE(read_yaml(good_yaml()).dds);
  const Configuration config = read_yaml(good_yaml() + "dds: {}\n");
  EXPECT_THAT(config.dds->domains, testing::ElementsAre(0));
  EXPECT_FALSE(config.mavlink);
  EXPECT_EQ(tap_of(config), (TapSettings{.on = true, .ports = {7400}}));
  EXPECT_THAT(tap_of(read_yaml(good_yaml() + "dds: {domains: [0, 42]}\n")).ports, testing::ElementsAre(7400, 17900));
  EXPECT_THAT(faults_in(good_yaml() + "dds: {domains: [233]}\n"),
              testing::ElementsAre(testing::HasSubstr("each 0 to 232")));
}

TEST(Configuration, DpdkPortsAndTheirKeys) {
  const Configuration configuration = load_configuration(kExamples + "dpdk.yaml", some_names());
  EXPECT_FALSE(configuration.dpdk.hugepages);
  EXPECT_EQ(configuration.dpdk.memory_mib, 256u);
  ASSERT_EQ(configuration.ports.size(), 2u);
  EXPECT_EQ(configuration.ports[0].driver, PortDriver::kDpdk);
  EXPECT_EQ(configuration.ports[0].dpdk.device, "net_af_packet0");
  EXPECT_EQ(configuration.ports[0].dpdk.arguments, "iface=hg-red,blocksz=4096,framesz=2048,framecnt=512");
  EXPECT_EQ(configuration.ports[0].dpdk.queues, 1);
  EXPECT_EQ(configuration.ports[0].dpdk.descriptors, 1024);
  EXPECT_EQ(configuration.ports[0].launch_time, LaunchTimeUse::kAuto);
  EXPECT_EQ(configuration.ports[1].launch_time, LaunchTimeUse::kOn);
}

TEST(Configuration, PortsInSharedMemoryAndTheirKeys) {
  const Configuration configuration = load_configuration(kExamples + "shared-memory.yaml", some_names());
  EXPECT_FALSE(configuration.dpdk.hugepages) << "peers need none";
  ASSERT_EQ(configuration.ports.size(), 2u);
  const DpdkDeviceConfig& memif = configuration.ports[0].dpdk;
  EXPECT_EQ(memif.kind, DpdkKind::kMemif);
  EXPECT_EQ(memif.socket.path, "/run/hilgate/shared-memory/router.sock");
  EXPECT_TRUE(memif.socket.server);
  EXPECT_EQ(memif.socket.id, 0u);
  EXPECT_EQ(memif.descriptors, 1024);
  EXPECT_EQ(configuration.ports[1].dpdk.kind, DpdkKind::kVhostUser);
  EXPECT_EQ(port_place(configuration.ports[1]), "/run/hilgate/shared-memory/vm.sock");
}

std::vector<std::string> port_faults(const std::string& keys) {
  return faults_in(
      fmt::format("name: f\nports: {{a: {{driver: memif, socket: /a.sock}}, b: {{{}}}}}\n"
                  "robots: {{r: {{port: a}}}}\nnetsim: {{type: wire}}\n",
                  keys));
}

TEST(Configuration, FaultsOfPortsInSharedMemory) {
  using testing::ElementsAre;
  using testing::HasSubstr;
  EXPECT_THAT(port_faults("driver: memif"), ElementsAre(HasSubstr("ports.b: misses the key 'socket'")));
  EXPECT_THAT(port_faults("driver: memif, socket: b.sock"), ElementsAre(HasSubstr("is not a path for a socket")));
  EXPECT_THAT(port_faults("driver: memif, socket: '/b,id=3'"), ElementsAre(HasSubstr("is not a path for a socket")));
  EXPECT_THAT(port_faults("driver: memif, socket: /" + std::string(107, 'b')),
              ElementsAre(HasSubstr("up to 107 bytes")));
  EXPECT_THAT(port_faults("driver: vhost_user, socket: /a.sock"),
              ElementsAre(HasSubstr("'/a.sock' is already the socket of port 'a' in line")));
  EXPECT_THAT(port_faults("driver: memif, socket: /b.sock, role: peer"), ElementsAre(HasSubstr("role: 'peer'")));
  EXPECT_THAT(port_faults("driver: memif, socket: /b.sock, descriptors: 1000"),
              ElementsAre(HasSubstr("'1000' is not a power of two")));
  EXPECT_THAT(port_faults("driver: vhost_user, socket: /b.sock, id: 1"), ElementsAre(HasSubstr("ports.b.id")));
}

}  // namespace
}  // namespace hilgate::test
