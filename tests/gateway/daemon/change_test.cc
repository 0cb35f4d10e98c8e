// SPDX-License-Identifier: Apache-2.0
// A key that is changed while a gateway runs (`hilgate set`, `hilgate reload`) has an effect or is refused. Every key
// of the schema is covered by one of the cases below.
#include "gateway/daemon/change.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "gateway/configuration/reader/installed_names.h"
#include "gateway/run/planes/configured_path.h"
#include "gateway/run/planes/path_slots.h"
#include "gateway/run/simulation/simulation.h"

namespace hilgate::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kRadios =
    "name: t\nnetsim: {type: embedded}\nports: {p: {interface: hg-p}, q: {interface: hg-q}}\n"
    "robots: {red: {port: p, mac: 02:00:00:00:00:01, radio: wifi_11ac_80, radio_status: true},\n"
    "         blue: {port: q, mac: 02:00:00:00:00:02, radio: wifi_11ac_80}}\n"
    "physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 2m]}], blue: [{at: 0s, position: [20m, 0m, "
    "2m]}]}}\n";
constexpr const char* kCarried =
    "name: t\nnetsim: {type: embedded}\n"
    "ports: {p: {interface: hg-p}, q: {interface: hg-q}, r: {interface: hg-r}, s: {interface: hg-s}}\n"
    "robots: {red: {radios: {wifi: {port: p, mac: 02:00:00:00:00:01, radio: wifi_11ac_80},\n"
    "                        sik: {port: r, mac: 02:00:00:00:00:11, radio: sik_915_64k}}},\n"
    "         blue: {port: q, mac: 02:00:00:00:00:02, radio: wifi_11ac_80}}\n"
    "physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 2m]}], blue: [{at: 0s, position: [20m, 0m, "
    "2m]}]}}\n";
constexpr const char* kVehicles =
    "name: t\nnetsim: {type: embedded}\nports: {p: {interface: hg-p}, q: {interface: hg-q}}\n"
    "robots: {red: {port: p, mac: 02:00:00:00:00:01, radio: wifi_11ac_80},\n"
    "         blue: {port: q, mac: 02:00:00:00:00:02, radio: wifi_11ac_80}}\n"
    "physics: {type: mavlink, start: {red: [0m, 0m, 5m], blue: [30m, 0m, 5m]}}\n";
constexpr const char* kDilated =
    "name: t\nnetsim: {type: wire}\nports: {p: {interface: hg-p}, q: {interface: hg-q}}\npace: dilate\ndilate: 50 %\n"
    "robots: {red: {port: p, mac: 02:00:00:00:00:01}, blue: {port: q, mac: 02:00:00:00:00:02}}\n";
constexpr const char* kTagged =
    "name: t\nnetsim: {type: wire}\nports: {p: {interface: hg-p}}\n"
    "robots: {red: {port: p, vlan: 10, mac: 02:00:00:00:00:01}, blue: {port: p, vlan: 11, mac: 02:00:00:00:00:02}}\n";
constexpr const char* kLines =
    "name: t\nnetsim: {type: wire}\nports: {p: {driver: pty}, q: {driver: pty}}\n"
    "robots: {red: {port: p}, blue: {port: q}}\n";
constexpr const char* kTap =
    "name: t\nnetsim: {type: wire}\nports: {p: {driver: tap, interface: hg-p}, q: {interface: hg-q}}\n"
    "robots: {red: {port: p, mac: 02:00:00:00:00:01}, blue: {port: q, mac: 02:00:00:00:00:02}}\n";
constexpr const char* kSimulated =
    "name: t\nnetsim: {type: native}\nphysics: {type: native}\nports: {p: {interface: hg-p}, q: {interface: hg-q}}\n"
    "robots: {red: {port: p, mac: 02:00:00:00:00:01, id: one}, blue: {port: q, mac: 02:00:00:00:00:02}}\n";

struct Running {
  ConfigDocument document;
  Configuration configuration;
};

// Always idle: slots are free.
RobotSlots changed(const RobotSlots& slots, const Configuration& configuration) {
  return slots.changed(configuration, [](LinkSlot) { return true; });
}

std::string text_of(const LinkRules& rules) {
  return fmt::format("{} {} {} {} {};", static_cast<int>(rules.policy), rules.protect_headers,
                     rules.extra_delay.count(), rules.burst_continues, rules.impairments != nullptr);
}

// What the packet path is made of, as far as cases change it.
std::string path_text(const Configuration& configuration, const RobotSlots& slots) {
  const Simulation simulation = make_simulation(configuration);
  const PathSettings path = configured_path(configuration, simulation.air, slots);
  std::string text;
  for (const RobotEntry& robot : path.robots) {
    text += fmt::format("{} {} {}:", robot.port.value(), robot.isolated, robot.vlan);
    for (const MacAddress mac : robot.macs) {
      text += mac.text() + " ";
    }
    for (const IpAddress& ip : robot.ips) {
      text += ip.text() + " ";
    }
  }
  for (const PtpPassage passage : path.ptp) {
    text += fmt::format("{} ", static_cast<int>(passage));
  }
  for (const LinkRules& rules : path.air.rules) {
    text += text_of(rules);
  }
  return text;
}

enum class Effect {
  kRefused,    // with the reason
  kWorld,      // physics and netsim are made anew
  kPath,       // the packet path gets other settings
  kPort,       // the port is another one, or the change is refused
  kVehicles,   // another system places a robot
  kReadAgain,  // whoever uses it reads the configuration in force each time
};

struct Case {
  std::string key;  // and all below it
  const char* base;
  std::vector<std::string> set;
  Effect effect;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"window", kRadios, {"window=20ms"}, Effect::kReadAgain},
      {"dilate", kDilated, {"dilate=25 %"}, Effect::kReadAgain},
      {"packet_loop", kRadios, {"packet_loop.idle=poll"}, Effect::kRefused},
      {"hot_loop", kRadios, {"hot_loop.idle=poll"}, Effect::kRefused},
      {"profiles", kRadios, {"profiles=[" HILGATE_SOURCE_DIR "/rf_profiles/profiles]"}, Effect::kWorld},
      {"ports.NAME.interface", kRadios, {"ports.p.interface=hg-other"}, Effect::kPort},
      {"ports.NAME.driver", kRadios, {"ports.p={driver: pty}", "robots.red.mac="}, Effect::kRefused},
      {"ports.NAME.xdp", kRadios, {"ports.p.xdp=generic"}, Effect::kPort},
      {"ports.NAME.ptp", kRadios, {"ports.p.ptp=air"}, Effect::kPath},
      {"ports.NAME.ptp", kRadios, {"ports.p.ptp=transparent"}, Effect::kPath},
      {"ports.NAME.launch_time", kRadios, {"ports.p.launch_time=off"}, Effect::kPort},
      {"ports.NAME.fail", kRadios, {"ports.p.fail=wire"}, Effect::kPort},
      {"ports.NAME.isolated", kRadios, {"ports.p.isolated=true"}, Effect::kPath},
      {"ports.NAME.kernel", kRadios, {"ports.p.kernel.pass=[{udp: 5353}]"}, Effect::kPort},
      {"ports.NAME.baud", kLines, {"ports.p.baud=115200"}, Effect::kRefused},
      {"ports.NAME.flow", kLines, {"ports.p.flow=rtscts"}, Effect::kRefused},
      {"ports.NAME.framing", kLines, {"ports.p.framing=raw"}, Effect::kRefused},
      {"ports.NAME.buffer", kLines, {"ports.p.buffer=1 KiB"}, Effect::kRefused},
      {"ports.NAME.user", kTap, {"ports.p.user=nobody"}, Effect::kPort},
      {"robots.NAME.port", kRadios, {"ports.r={interface: hg-r}", "robots.red.port=r"}, Effect::kPath},
      {"robots.NAME.radios", kCarried, {"robots.red.radios.sik="}, Effect::kWorld},
      {"robots.NAME.radios.NAME.port", kCarried, {"robots.red.radios.sik.port=s"}, Effect::kPath},
      {"robots.NAME.radios.NAME.radio", kCarried, {"robots.red.radios.sik.radio=wifi_11ac_80"}, Effect::kWorld},
      {"robots.NAME.vlan", kTagged, {"robots.red.vlan=12"}, Effect::kPath},
      {"robots.NAME.mac", kRadios, {"robots.red.mac=02:00:00:00:00:09"}, Effect::kPath},
      {"robots.NAME.ip", kRadios, {"robots.red.ip=10.0.0.9"}, Effect::kPath},
      {"robots.NAME.radio", kRadios, {"robots.red.radio=wifi_11n_2g4_adhoc"}, Effect::kWorld},
      {"robots.NAME.antenna", kRadios, {"robots.red.antenna={yaw: 90 deg}"}, Effect::kWorld},
      {"robots.NAME.id", kSimulated, {"robots.red.id=other"}, Effect::kRefused},
      {"robots.NAME.system_id", kVehicles, {"robots.red.system_id=7"}, Effect::kVehicles},
      {"robots.NAME.positions_from",
       kVehicles,
       {"robots.red.system_id=7", "robots.red.positions_from=blue"},
       Effect::kVehicles},
      {"robots.NAME.radio_status", kRadios, {"robots.blue.radio_status=true"}, Effect::kReadAgain},
      {"robots.NAME.rssi_feed",
       kRadios,
       {"robots.red.ip=10.0.0.1", "robots.blue.ip=10.0.0.2", "robots.red.rssi_feed={port: 5005}"},
       Effect::kReadAgain},
      {"robots.NAME.dlep", kRadios, {"robots.red.dlep={interface: dlep0}"}, Effect::kReadAgain},
      {"robots.NAME.gnss",
       kRadios,
       {"robots.red.ip=10.0.0.1", "robots.blue.ip=10.0.0.2",
        "physics.origin={latitude: 47, longitude: 8, altitude: 0m}", "robots.red.gnss={port: 10110}"},
       Effect::kReadAgain},
      {"cot",
       kRadios,
       {"physics.origin={latitude: 47, longitude: 8, altitude: 0m}", "cot={to: 127.0.0.1}"},
       Effect::kRefused},
      {"dis",
       kRadios,
       {"physics.origin={latitude: 47, longitude: 8, altitude: 0m}", "dis={to: 127.0.0.1}"},
       Effect::kRefused},
      {"physics", kRadios, {"physics.tracks.red=[{at: 0s, position: [1m, 0m, 2m]}]"}, Effect::kWorld},
      {"physics", kVehicles, {"physics.jumps=refuse"}, Effect::kRefused},
      {"netsim", kRadios, {"netsim={type: wire}", "robots.red.radio=", "robots.blue.radio="}, Effect::kWorld},
      {"netsim", kSimulated, {"netsim.patience=3s"}, Effect::kRefused},
      {"links[].delay", kRadios, {"links.red.blue.delay=5ms"}, Effect::kPath},
      {"links[].loss", kRadios, {"links.red.blue.loss=5 %"}, Effect::kPath},
      {"links[].every", kRadios, {"links.red.blue.every=10"}, Effect::kPath},
      {"links[].filter", kRadios, {"links.red.blue[\"udp port 14550\"].loss=5 %"}, Effect::kPath},
      {"links[].ber", kRadios, {"links.red.blue.ber={rate: 1e-5, burst: 4}"}, Effect::kPath},
      {"links[].rate", kRadios, {"links.red.blue.rate=1 Mbit/s"}, Effect::kPath},
      {"links[].policy", kRadios, {"links.red.blue.policy=corrupt_raw"}, Effect::kPath},
      {"links[].protect_headers", kRadios, {"links.red.blue.protect_headers=false"}, Effect::kPath},
      {"links[].path_loss", kRadios, {"links.red.blue.path_loss=70 dB"}, Effect::kReadAgain},
      {"links[].reorder", kRadios, {"links.red.blue.reorder={probability: 5 %, by: 2ms}"}, Effect::kPath},
      {"links[].duplicate", kRadios, {"links.red.blue.duplicate=5 %"}, Effect::kPath},
      {"links[].outages", kRadios, {"links.red.blue.outages=[{at: 1s, for: 1s}]"}, Effect::kPath},
      {"jammers",
       kRadios,
       {"jammers.one={position: [0m, 0m, 2m], power: 20 dBm, frequency: 5.18 GHz, bandwidth: 20 MHz}"},
       Effect::kReadAgain},
      {"lab", kRadios, {"lab.mtu=1400 B"}, Effect::kRefused},
      {"dds", kRadios, {"dds.domains=[3]"}, Effect::kRefused},
      {"mavlink", kRadios, {"mavlink.ports=[14550]"}, Effect::kRefused},
  };
  return all;
}

// Whole sections, compared as text (check_change).
const std::set<std::string> kFixedSections = {
    "name", "seed",   "pace",    "follow", "clock", "late", "lag",  "memory",   "hold",       "heartbeat",
    "dpdk", "kernel", "capture", "record", "site",  "web",  "ros2", "scenario", "scheduling", "foxglove"};

// Part of a link's item, a port's slot (PortSlots compares all of a device), or of the names of robots in world_of().
const std::set<std::string> kTold = {"ports",
                                     "robots",
                                     "links",
                                     "links[].from",
                                     "links[].to",
                                     "ports.NAME.gateway",
                                     "ports.NAME.device",
                                     "ports.NAME.device_arguments",
                                     "ports.NAME.socket",
                                     "ports.NAME.role",
                                     "ports.NAME.id",
                                     "ports.NAME.queues",
                                     "ports.NAME.descriptors",
                                     "robots.NAME.wired"};

class ChangeTest : public testing::Test {
 protected:
  ~ChangeTest() override { std::filesystem::remove(file_); }

  Running running(const char* base) const {
    std::ofstream(file_) << base;
    ConfigDocument document = ConfigDocument::load(file_);
    Configuration configuration = document.read(known_names());
    return {std::move(document), std::move(configuration)};
  }

  const std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("hgt-change-" + std::to_string(::getpid()) + ".yaml");
};

std::string refusal(const Running& before, const Running& after, const std::vector<std::string>& set) {
  try {
    check_set(set);
    check_change(before.configuration, before.document, after.configuration, after.document);
  } catch (const std::runtime_error& refused) {
    return refused.what();
  }
  return {};
}

void expect_vehicles(const Running& before, const Running& after) {
  const Simulation simulation = make_simulation(before.configuration);
  change_air(after.configuration, simulation);
  const bool is_forwarded = after.configuration.robots[0].positions_from.has_value();
  simulation.vehicles->take(RobotIndex{is_forwarded ? 1U : 0U}, {.system = 7}, mavlink::LocalPosition{{3, 0, 0}}, {});
  simulation.vehicles->take(RobotIndex{0}, {.system = 1}, mavlink::LocalPosition{{9, 0, 0}}, {});
  EXPECT_EQ(simulation.vehicles->standing(RobotIndex{0}, {}).place.value_or(Vec3{}).x, 3);
  EXPECT_EQ(simulation.vehicles->counts(RobotIndex{0}).other_system, 1U);
}

// Another one, or none.
void expect_port(const RobotSlots& slots, const Configuration& after) {
  try {
    EXPECT_NE(slots.ports().slot_of(PortIndex{0}), changed(slots, after).ports().slot_of(PortIndex{0}));
  } catch (const std::runtime_error& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("at run time"));
  }
}

void expect_effect(const Case& one, const Running& before, const Running& after) {
  const RobotSlots slots(before.configuration);
  switch (one.effect) {
    case Effect::kWorld:
      EXPECT_NE(world_of(before.configuration, before.document), world_of(after.configuration, after.document));
      break;
    case Effect::kPath:
      EXPECT_NE(path_text(before.configuration, slots),
                path_text(after.configuration, changed(slots, after.configuration)));
      break;
    case Effect::kPort:
      expect_port(slots, after.configuration);
      break;
    case Effect::kVehicles:
      expect_vehicles(before, after);
      break;
    case Effect::kReadAgain:
    case Effect::kRefused:
      break;
  }
}

TEST_F(ChangeTest, EveryKeyThatChangesHasAnEffectOrIsRefused) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.key);
    try {
      const Running before = running(one.base);
      const ConfigDocument document = before.document.with(one.set);
      const Running after{document, document.read(known_names())};
      const std::string why = refusal(before, after, one.set);
      if (one.effect == Effect::kRefused) {
        EXPECT_THAT(why, HasSubstr("at run time")) << "neither effect nor refusal";
        continue;
      }
      EXPECT_THAT(why, IsEmpty());
      expect_effect(one, before, after);
    } catch (const ConfigError& error) {
      ADD_FAILURE() << error.faults().front().path << " " << error.faults().front().text;
    }
  }
}

TEST_F(ChangeTest, SectionsThatAreReadAtTheStartAreRefused) {
  const Running before = running(kRadios);
  for (const std::string& key : kFixedSections) {
    const Running after{before.document.with({key + "={other: value}"}), before.configuration};
    EXPECT_THAT(refusal(before, after, {}), HasSubstr(key + " cannot change at run time"));
  }
}

// Paths as docs/reference/generate.py has them.
void add_keys(const Json& schema, const std::string& path, std::set<std::string>& keys) {
  if (!schema.is_object()) {
    return;
  }
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [key, value] : properties.items()) {
    const std::string inner = path.empty() ? key : path + "." + key;
    keys.insert(inner);
    add_keys(value, inner, keys);
  }
  if (const Json others = schema.value("additionalProperties", Json()); others.is_object()) {
    add_keys(others, path + ".NAME", keys);
  }
  if (schema.contains("items")) {
    add_keys(schema["items"], path + "[]", keys);
  }
  const Json choices = schema.value("anyOf", Json::array());
  for (const Json& choice : choices) {
    add_keys(choice, path, keys);
  }
}

bool is_covered(const std::string& key) {
  const auto is_at_or_below = [&key](const std::string& top) {
    return key == top || key.starts_with(top + ".") || key.starts_with(top + "[");
  };
  return kTold.contains(key) || std::ranges::any_of(kFixedSections, is_at_or_below) ||
         std::ranges::any_of(cases(), [&](const Case& one) { return is_at_or_below(one.key); });
}

TEST_F(ChangeTest, EveryKeyOfTheSchemaIsCovered) {
  std::ifstream file(HILGATE_SOURCE_DIR "/gateway/configuration/configuration.schema.json");
  std::set<std::string> keys;
  add_keys(Json::parse(file), "", keys);
  ASSERT_GT(keys.size(), 300U);
  for (const std::string& key : keys) {
    EXPECT_TRUE(is_covered(key)) << key << ": what does a running gateway do when it changes? Add a case";
  }
}

}  // namespace
}  // namespace hilgate::test
