// SPDX-License-Identifier: Apache-2.0
// What bad configurations are told. Every text is asserted: people act on it.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "netsim_link/impairments/impairments.h"
#include "tests/gateway/configuration/config_fixture.h"

namespace hilgate::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

struct Case {
  int line;          // of the good file, to be replaced
  const char* text;  // by this
  const char* fault;
};

class ConfigFault : public testing::TestWithParam<Case> {};

void PrintTo(const Case& broken, std::ostream* out) {
  *out << "line " << broken.line << ": " << broken.text;
}

TEST_P(ConfigFault, IsReportedOnceWithTheAllowedValues) {
  const auto& [line, text, fault] = GetParam();
  EXPECT_THAT(faults_in(with_line(line, text)), ElementsAre(fault));
}

INSTANTIATE_TEST_SUITE_P(
    General, ConfigFault,
    testing::Values(
        Case{1, "", "f.yaml:1: misses the key 'name'"},
        Case{1, "name: a/b",
             "f.yaml:1: name: 'a/b' is not a name; allowed: up to 32 letters, digits, '-' and '_', a letter or digit "
             "first"},
        Case{2, "windw: 1ms", "f.yaml:2: windw: unknown key 'windw'; did you mean 'window'?"},
        Case{2, "window: 0ms", "f.yaml:2: window: '0ms' is out of range; allowed: 100us to 10s"},
        Case{2, "window: 1",
             "f.yaml:2: window: '1' has no unit; a time needs one of ns, us, ms, s, min, h; example: 1ms"},
        Case{2, "window: 1 dBm",
             "f.yaml:2: window: '1 dBm' has the unit 'dBm', which is not a unit of a time; allowed: ns, us, ms, s, "
             "min, h"},
        Case{2, "seed: -1", "f.yaml:2: seed: '-1' is not a whole number from 0 to 18446744073709551615"},
        Case{2, "seed:", "f.yaml:2: seed: is empty; give it a value, or remove the key"},
        Case{2, "dilate: 50 %",
             "f.yaml:2: dilate: has an effect with `pace: dilate` alone; set that, or remove the key"},
        Case{2, "pace: dilate\ndilate: 50 %\nfollow: {slowest: 50 %}",
             "f.yaml:4: follow: has an effect with `pace: follow` alone; set that, or remove the key"},
        Case{2, "pace: warp", "f.yaml:2: pace: 'warp' is not a known value; did you mean 'wall'?"},
        Case{2, "memory: {frames: 12}",
             "f.yaml:2: memory.frames: '12' is out of range; allowed: 1024 to 16777216 frames"},
        Case{2, "memory: {frame_size: 1000 B}",
             "f.yaml:2: memory.frame_size: '1000 B' is out of range; allowed: 2048 B, 4096 B"},
        Case{22, "netsim: {type: embedded, record: nowhere}",
             "f.yaml:22: netsim.record: 'nowhere' is not there; name the folder of a run that was recorded"},
        Case{2, "record: {folder: a, every: 1us}",
             "f.yaml:2: record.every: '1us' is out of range; allowed: 100us to 1h"},
        Case{2, "record: {}", "f.yaml:2: record: misses the key 'folder'"},
        Case{2, "capture: {file: a, ring: {size: 10 B}}",
             "f.yaml:2: capture.ring.size: '10 B' is out of range; allowed: from 1 MB on"},
        Case{2, "capture: {file: a, ring: {files: 2}}",
             "f.yaml:2: capture.ring: needs `size` or `time`, after which a file is followed by the next"},
        Case{2, "hold: {frames: 1}", "f.yaml:2: hold.frames: '1' is out of range; allowed: 64 to 16777216 frames"},
        Case{2, "packet_loop: {cpu: 5000}", "f.yaml:2: packet_loop.cpu: '5000' is out of range; allowed: 0 to 1023"},
        Case{2, "packet_loop: {idle: poll}\nhot_loop: {idle: poll}",
             "f.yaml:3: hot_loop: is called 'packet_loop' now, which is given as well; remove one"},
        Case{2, "packet_loop: {idle: nap}",
             "f.yaml:2: packet_loop.idle: 'nap' is not a known value; allowed: sleep, poll"},
        Case{2, "packet_loop: {cores: [{cpu: 1, ports: [p1]}, {cpu: 1, ports: [p2]}]}",
             "f.yaml:2: packet_loop.cores[1].cpu: 1 is already used by another core"},
        Case{2, "packet_loop: {cores: [{ports: [p1]}]}",
             "f.yaml:2: packet_loop.cores: misses the port 'p2'; every port must be on one core"},
        Case{2, "packet_loop: {cores: [{ports: [p1, p2]}, {ports: [p1]}]}",
             "f.yaml:2: packet_loop.cores[1].ports[0]: 'p1' is already on another core; a port is on one core"},
        Case{2, "profiles: [nowhere]", "f.yaml:2: profiles[0]: 'nowhere' is not a directory (searched: nowhere)"}));

INSTANTIATE_TEST_SUITE_P(
    Telemetry, ConfigFault,
    testing::Values(
        Case{2, "mavlink: {ports: [0]}", "f.yaml:2: mavlink.ports: must be a list of ports, each 1 to 65535"},
        Case{2, "mavlink: {port: 14550}", "f.yaml:2: mavlink.port: unknown key 'port'; did you mean 'ports'?"},
        Case{8, "    port: p1\n    system_id: 0",
             "f.yaml:9: robots.red.system_id: '0' is out of range; allowed: 1 to 255"},
        Case{8, "    port: p1\n    positions_from: blue",
             "f.yaml:9: robots.red.positions_from: needs `system_id`, which distinguishes this robot from others"},
        Case{8, "    port: p1\n    system_id: 1\n    positions_from: red",
             "f.yaml:10: robots.red.positions_from: is 'red' itself, whose packets count anyway"},
        Case{8, "    port: p1\n    system_id: 1\n    positions_from: green",
             "f.yaml:10: robots.red.positions_from: 'green' is not a robot; known: red, blue"},
        Case{8, "    port: p1\n    rssi_feed: {from: 10.0.0.7}",
             "f.yaml:9: robots.red.rssi_feed: misses the key 'port'"},
        Case{8, "    port: p1\n    rssi_feed: {port: 5005, from: 10.0.0.7, every: 0ms}",
             "f.yaml:9: robots.red.rssi_feed.every: '0ms' is out of range; allowed: 1ms to 1h"},
        Case{8, "    port: p1\n    rssi_feed: {port: 5005, from: 10.0.0.7, to: 10.0.0.3}",
             "f.yaml:9: robots.red.rssi_feed: must be one of robot 'red's addresses under `ip:`"},
        Case{8, "    port: p1\n    rssi_feed: {port: 5005}",
             "f.yaml:9: robots.red.rssi_feed: misses the key 'from', a source address of the same IP version"},
        Case{8, "    port: p1\n    gnss: {port: 10110, from: 10.0.0.7}",
             "f.yaml:9: robots.red.gnss: needs physics.origin with `latitude`, `longitude` and `altitude`, which make "
             "positions on the earth of x, y and z"},
        Case{8, "    port: p1\n    dlep: {port: 854}", "f.yaml:9: robots.red.dlep: misses the key 'interface'"},
        Case{8, "    port: p1\n    dlep: {interface: dlep0, heartbeat: 10ms}",
             "f.yaml:9: robots.red.dlep.heartbeat: '10ms' is out of range; allowed: 100ms to 1h"},
        Case{8, "    port: p1\n    dlep: {interface: a/b}",
             "f.yaml:9: robots.red.dlep.interface: 'a/b' is not an interface name; allowed: 1 to 15 characters without "
             "'/', ':' and blanks"},
        Case{8, "    port: p1\n    dlep: {interface: hg-a}",
             "f.yaml:9: robots.red.dlep.interface: 'hg-a' is the interface of port 'p1' in line 4, whose frames do not "
             "reach this machine; give the router's modem an interface of its own, a veth pair or a VLAN"},
        Case{2, "dis: {to: 127.0.0.1}",
             "f.yaml:2: dis: needs physics.origin with `latitude`, `longitude` and `altitude`, which make positions on "
             "the earth of x, y and z"},
        Case{2, "cot: {to: 127.0.0.1}",
             "f.yaml:2: cot: needs physics.origin with `latitude`, `longitude` and `altitude`, which make positions on "
             "the earth of x, y and z"},
        Case{2, "web: {tiles: site.pmtiles}",
             "f.yaml:2: web.tiles: needs `physics.origin` or `physics.scene.origin`: where on the earth x and y are "
             "0"},
        Case{2, "web: {plan: {image: hall.png}}", "f.yaml:2: web.plan: misses the key 'width'"},
        Case{2, "web: {plan: {width: 40m}}", "f.yaml:2: web.plan: misses the key 'image'"},
        Case{2, "web: {plan: {image: hall.png, width: 1cm}}",
             "f.yaml:2: web.plan.width: '1cm' is out of range; allowed: 0.1 m to 100 km"},
        Case{2, "web: {plan: {image: hall.png, width: 40m, rotation: 400deg}}",
             "f.yaml:2: web.plan.rotation: '400deg' is out of range; allowed: -360 deg to 360 deg"},
        Case{2, "web: {plan: {image: hall.png, width: 40m, origin: [1m, 2m, 3m]}}",
             "f.yaml:2: web.plan.origin: must be x and y of the picture's south-west corner, for example [2m, -5m], "
             "within 1e+08 m of the scene's origin"},
        Case{2, "web: {plan: {image: hall.png, width: 40m, angle: 3deg}}",
             "f.yaml:2: web.plan.angle: unknown key 'angle'; allowed: image, origin, width, rotation"}));

class PositionsFault : public testing::TestWithParam<std::pair<std::string, std::string>> {};

// Below an origin, which positions on the earth need.
TEST_P(PositionsFault, IsReportedOnceWithTheAllowedValues) {
  const auto& [text, fault] = GetParam();
  const std::string yaml = with_line(17, "  type: trajectory\n  origin: {latitude: 47, longitude: 8, altitude: 0m}");
  const std::string robot = "    mac: 02:00:00:00:00:01\n";
  const bool of_robot = text.starts_with("    ");
  EXPECT_THAT(faults_in(of_robot ? std::string(yaml).insert(yaml.find(robot), text + "\n") : yaml + text + "\n"),
              ElementsAre(fault));
}

INSTANTIATE_TEST_SUITE_P(
    Gnss, PositionsFault,
    testing::Values(std::pair{"    gnss: {port: 10110, from: 10.0.0.7, rate: 20 Hz}",
                              "f.yaml:9: robots.red.gnss.rate: '20 Hz' is out of range; allowed: 1 Hz to 10 Hz"},
                    std::pair{
                        "    gnss: {port: 10110}",
                        "f.yaml:9: robots.red.gnss: misses the key 'from', a source address of the same IP version"},
                    std::pair{"    gnss: {port: 10110, from: 10.0.0.7, error: {correlation: 1s}}",
                              "f.yaml:9: robots.red.gnss.error: misses the key 'sigma'"},
                    std::pair{"    gnss: {port: 10110, from: 10.0.0.7, error: {sigma: 1 m, correlation: 2h}}",
                              "f.yaml:9: robots.red.gnss.error.correlation: '2h' is out of range; allowed: 0s to 1h"}));

INSTANTIATE_TEST_SUITE_P(
    Cot, PositionsFault,
    testing::Values(
        std::pair{"cot: {}", "f.yaml:26: cot: misses the key 'to'"},
        std::pair{"cot: {to: 127.0.0.1, type: 'a f'}",
                  "f.yaml:26: cot.type: 'a f' is not a type of Cursor on Target; example: a-f-G-U-C"},
        std::pair{"cot: {to: 127.0.0.1, every: 5s, stale: 1s}",
                  "f.yaml:26: cot.stale: is shorter than `every`: receivers would remove each robot between two of its "
                  "events"},
        std::pair{"cot: {to: 127.0.0.1, robots: {rde: {}}}",
                  "f.yaml:26: cot.robots.rde: 'rde' is not a robot; did you mean 'red'? known: red, blue"},
        std::pair{"cot: {to: 127.0.0.1, robots: {red: {callsign: ''}}}",
                  "f.yaml:26: cot.robots.red.callsign: must have 1 to 64 bytes of UTF-8 without control characters"},
        std::pair{"cot: {to: 127.0.0.1, robots: {red: {uid: a}, blue: {uid: a}}}",
                  "f.yaml:26: cot.robots: gives robots 'red' and 'blue' the same uid 'a'"}));

INSTANTIATE_TEST_SUITE_P(
    Foxglove, PositionsFault,
    testing::Values(
        std::pair{"foxglove: {every: 1ms}", "f.yaml:26: foxglove.every: '1ms' is out of range; allowed: 50ms to 10s"},
        std::pair{"foxglove: {listen: '0.0.0.0:8765'}",
                  "f.yaml:26: foxglove.listen: other machines reach 0.0.0.0:8765, without authentication; choose a "
                  "loopback address, or write `insecure: true`"},
        std::pair{"foxglove: {listen: 'unix:/run/f'}",
                  "f.yaml:26: foxglove.listen: 'unix:/run/f' is a Unix socket, to which Foxglove cannot connect; "
                  "example: 127.0.0.1:8765"},
        std::pair{"foxglove: {origins: [app.foxglove.dev]}",
                  "f.yaml:26: foxglove.origins: 'app.foxglove.dev' is no origin of pages; it is scheme, host and port, "
                  "for example https://app.foxglove.dev"}));

INSTANTIATE_TEST_SUITE_P(
    Dis, PositionsFault,
    testing::Values(
        std::pair{"dis: {}", "f.yaml:26: dis: misses the key 'to'"},
        std::pair{
            "dis: {to: 127.0.0.1, every: 5s}",
            "f.yaml:26: dis.every: '5s' is out of range; allowed: 100ms to 2s, the heartbeat of Transmitter PDUs"},
        std::pair{"dis: {to: 127.0.0.1, exercise: 256}",
                  "f.yaml:26: dis.exercise: '256' is out of range; allowed: 1 to 255"},
        std::pair{"dis: {to: 127.0.0.1, robots: {red: {entity: '1:2'}}}",
                  "f.yaml:26: dis.robots.red.entity: '1:2' is no entity; it is SITE:APPLICATION:ENTITY, each 0 to "
                  "65535, for example \"1:1:7\""},
        std::pair{"dis: {to: 127.0.0.1, robots: {rde: {entity: '1:2:3'}}}",
                  "f.yaml:26: dis.robots.rde: 'rde' is not a robot; did you mean 'red'? known: red, blue"},
        std::pair{"dis: {to: 127.0.0.1, robots: {red: {entity: '1:1:2'}}}",
                  "f.yaml:26: dis: robots 'red' and 'blue' are both the entity 1:1:2; give one of them another "
                  "`entity` under `robots`"}));

INSTANTIATE_TEST_SUITE_P(
    Attach, ConfigFault,
    testing::Values(
        Case{24, "lab: {attach: {red: {}}}",
             "f.yaml:24: lab.attach.red: needs either `pid`, the number of a process, or `container`, a name that "
             "podman "
             "or docker knows"},
        Case{24, "lab: {attach: {red: {pid: 0}}}",
             "f.yaml:24: lab.attach.red.pid: '0' is out of range; allowed: 1 to 4194304, the number of a process"},
        Case{24, "lab: {attach: {rde: {pid: 7}}}",
             "f.yaml:24: lab.attach.rde: 'rde' is not a robot; did you mean 'red'? known: red, blue"},
        Case{24, "lab: {attach: {red: {container: --all}}}",
             "f.yaml:24: lab.attach.red.container: '--all' is not the name of a container"},
        Case{24, "lab: {attach: {red: {pid: 7, interface: a/b}}}",
             "f.yaml:24: lab.attach.red.interface: 'a/b' is not an interface name; allowed: 1 to 15 characters without "
             "'/', ':' and blanks"},
        Case{24, "lab: {attach: {red: {pid: 7}, blue: {pid: 7}}}",
             "f.yaml:24: lab.attach.blue.interface: 'eth0' is already the interface of robot 'red' there; give it "
             "another"}));

INSTANTIATE_TEST_SUITE_P(
    Machines, ConfigFault,
    testing::Values(
        Case{24, "lab: {machines: {red: {}}}",
             "f.yaml:24: lab.machines.red: needs either `vm`, a virtual machine, or `container`"},
        Case{24, "lab: {machines: {rde: {container: {bundle: b}}}}",
             "f.yaml:24: lab.machines.rde: 'rde' is not a robot; did you mean 'red'? known: red, blue"},
        Case{24, "lab: {machines: {red: {vm: {image: red.qcow2}}}}",
             "f.yaml:24: lab.machines.red: is on port 'p1', whose driver is not for a virtual machine; give it "
             "`driver: tap` or `driver: vhost_user`"},
        Case{24, "lab: {machines: {red: {container: {}}}}",
             "f.yaml:24: lab.machines.red.container: needs either `bundle`, an OCI bundle's folder, or `image`, the "
             "name "
             "of an image that podman has"},
        Case{24, "lab: {machines: {red: {container: {image: --all}}}}",
             "f.yaml:24: lab.machines.red.container.image: '--all' is not the name of an image"},
        Case{24, "lab: {attach: {red: {pid: 7}}, machines: {red: {container: {bundle: b}}}}",
             "f.yaml:24: lab.machines.red: is under `lab.attach` too, as a robot that is there already"}));

// Port p1 is a TAP device.
TEST(ConfigFaults, VirtualMachines) {
  const auto faults_of = [](const std::string& vm) {
    std::string yaml = with_line(24, "lab: {machines: {red: {vm: " + vm + "}}}");
    yaml.replace(yaml.find("{interface: hg-a"), 16, "{driver: tap, interface: hg-a");
    return faults_in(yaml);
  };
  EXPECT_THAT(faults_of("{image: red.qcow2}"), IsEmpty());
  EXPECT_THAT(
      faults_of("{memory: 64 MiB}"),
      ElementsAre("f.yaml:24: lab.machines.red.vm: misses the key 'image', the file of its disk (or 'kernel', of "
                  "a machine without one)"));
  EXPECT_THAT(
      faults_of("{image: red.qcow2, memory: 63 MiB}"),
      ElementsAre("f.yaml:24: lab.machines.red.vm.memory: '63 MiB' is out of range; allowed: 64 MiB to 1024 GiB"));
  EXPECT_THAT(faults_of("{image: red.qcow2, cpus: 0}"),
              ElementsAre("f.yaml:24: lab.machines.red.vm.cpus: '0' is out of range; allowed: 1 to 255"));
  EXPECT_THAT(faults_of("{image: red.qcow2, append: quiet}"),
              ElementsAre("f.yaml:24: lab.machines.red.vm.append: is for a machine with `kernel`; without one its disk "
                          "has it"));
}

INSTANTIATE_TEST_SUITE_P(
    Ports, ConfigFault,
    testing::Values(Case{5, "  p2: {}", "f.yaml:5: ports.p2: misses the key 'interface'"},
                    Case{5, "  p2: {interface: hg-a}",
                         "f.yaml:5: ports.p2.interface: 'hg-a' is already the interface of port 'p1' in line 4"},
                    Case{5, "  p2: {interface: a-name-too-long-for-linux}",
                         "f.yaml:5: ports.p2.interface: 'a-name-too-long-for-linux' is not an interface name; allowed: "
                         "1 to 15 characters without '/', ':' and blanks"},
                    Case{5, "  p2: {interface: b, driver: dpkd}",
                         "f.yaml:5: ports.p2.driver: 'dpkd' is not a known value; did you mean 'dpdk'?"},
                    Case{5, "  p2: {device: net_null0, driver: dpdk}",
                         "f.yaml:5: ports.p2: differs from the driver of port 'p1' in line 4; with DPDK (drivers "
                         "dpdk, memif and vhost_user), all ports of a run use it (it reaches kernel interfaces with "
                         "`driver: dpdk` and its devices net_af_xdp and net_af_packet, and no serial lines)"},
                    Case{5, "  p2: {interface: b, fail: wires}",
                         "f.yaml:5: ports.p2.fail: 'wires' is not a known value; did you mean 'wire'?"},
                    Case{5, "  p2: {interface: b, launch_time: never}",
                         "f.yaml:5: ports.p2.launch_time: 'never' is not a known value; allowed: auto, on, off"},
                    Case{5, "  p2: {interface: b, launch_time: on}",
                         "f.yaml:5: ports.p2.launch_time: 'on' is for devices without transmit timestamps, of driver "
                         "dpdk; those of AF_XDP have them or are not relied on: use 'auto'"},
                    Case{5, "  p2: {interface: b, xdp: nativ}",
                         "f.yaml:5: ports.p2.xdp: 'nativ' is not a known value; did you mean 'native'?"},
                    Case{5, "  p2: {interface: b, kernel: {pass: [lldb]}}",
                         "f.yaml:5: ports.p2.kernel.pass[0]: 'lldb' is not traffic that can be passed to the kernel; "
                         "allowed: lldp, ssh, ptp, {ethertype: 0x88cc}, {udp: 5353} or {tcp: 22}"},
                    Case{5, "  p2: {interface: b, kernel: {pass: [{udp: 0}]}}",
                         "f.yaml:5: ports.p2.kernel.pass[0].udp: '0' is out of range; allowed: 1 to 65535"},
                    Case{5, "  p2: {interface: b, kernel: {pass: [{udp: 1, tcp: 1}]}}",
                         "f.yaml:5: ports.p2.kernel.pass[0]: names 2 kinds of traffic; give one of lldp, ssh, ptp, "
                         "{ethertype: 0x88cc}, {udp: 5353} or {tcp: 22} per item"},
                    Case{5, "  p2: {interface: b, kernel: {pass: [{ethertype: 0x100}]}}",
                         "f.yaml:5: ports.p2.kernel.pass[0].ethertype: '0x100' is not an ethertype; allowed: 0x0600 to "
                         "0xffff, for example 0x88cc"},
                    Case{5, "  p2: {interface: b, kernel: {}}", "f.yaml:5: ports.p2.kernel: misses the key 'pass'"}));

INSTANTIATE_TEST_SUITE_P(
    Robots, ConfigFault,
    testing::Values(
        Case{13, "", "f.yaml:12: robots.blue: misses the key 'port'"},
        Case{13, "    port: p3", "f.yaml:13: robots.blue.port: 'p3' is not a port; did you mean 'p1'? known: p1, p2"},
        Case{14, "    mac: 02:00:00:00:00:01",
             "f.yaml:14: robots.blue.mac: '02:00:00:00:00:01' already belongs to robot 'red' in line 7"},
        Case{14, "    mac: {address: 02:00:00:00:00:01, shared: true}",
             "f.yaml:14: robots.blue.mac: '02:00:00:00:00:01' already belongs to robot 'red' in line 7, which does not "
             "have it `shared: true`"},
        Case{14, "    mac: [{shared: true}]", "f.yaml:14: robots.blue.mac[0]: misses the key 'address'"},
        Case{14, "    mac: [02:00:00:00:00:07, 02:00:00:00:00:07]",
             "f.yaml:14: robots.blue.mac: '02:00:00:00:00:07' is given twice"},
        Case{14, "    mac: 2:0:0:0:0:1",
             "f.yaml:14: robots.blue.mac: '2:0:0:0:0:1' is not a MAC address; example: 02:68:67:00:00:01"},
        Case{14, "    mac: ff:ff:ff:ff:ff:ff",
             "f.yaml:14: robots.blue.mac: 'ff:ff:ff:ff:ff:ff' is not a unicast address; the first octet must be even, "
             "and not all octets 0"},
        Case{14, "    ip: 10.0.0.1", "f.yaml:14: robots.blue.ip: '10.0.0.1' already belongs to robot 'red' in line 7"},
        Case{14, "    ip: 10.0.0.1/24",
             "f.yaml:14: robots.blue.ip: '10.0.0.1/24' is not an IP address; example: 10.77.0.1 or fd77::1, without a "
             "prefix length"},
        Case{14, "    ip: 224.0.0.1", "f.yaml:14: robots.blue.ip: '224.0.0.1' is not a unicast address"},
        Case{14, "    ip: [fd00::2, '::']", "f.yaml:14: robots.blue.ip[1]: '::' is not a unicast address"},
        Case{15, "", "f.yaml:12: robots.blue: misses the key 'radio'"},
        Case{15, "    radio: wifi_oter",
             "f.yaml:15: robots.blue.radio: 'wifi_oter' is not a radio profile; did you mean 'wifi_other'? known: "
             "wifi_11n_2g4_adhoc, wifi_other"}));

INSTANTIATE_TEST_SUITE_P(
    Physics, ConfigFault,
    testing::Values(
        Case{17, "  type: gazbo",
             "f.yaml:17: physics.type: 'gazbo' is not a known value; allowed: trajectory, native, rosnetsim, dancers, "
             "cornet, cornet2, flynetsim, robonetsim, avens, mavlink, ros2, dis, cot"},
        Case{19, "", "f.yaml:18: physics.tracks: misses a track for robot 'red'"},
        Case{19, "    rad: [{at: 0s, position: [0m, 0m, 1m]}]\n    red: [{at: 0s, position: [0m, 0m, 1m]}]",
             "f.yaml:19: physics.tracks.rad: 'rad' is not a robot; did you mean 'red'? known: red, blue"},
        Case{19, "    red: []", "f.yaml:19: physics.tracks.red: is empty; give at least one point"},
        Case{19, "    red: [{at: 0s}]", "f.yaml:19: physics.tracks.red[0]: misses the key 'position'"},
        Case{19, "    red: [{at: 0s, position: [0m, 0m]}]",
             "f.yaml:19: physics.tracks.red[0].position: has 2 numbers; give x, y and z, for example [0m, 0m, 10m]"},
        Case{19, "    red: [{at: -1s, position: [0m, 0m, 1m]}]",
             "f.yaml:19: physics.tracks.red[0].at: '-1s' is before the start; allowed: 0s or later"},
        Case{19, "    red: [{at: 1s, position: [0m, 0m, 1m]}, {at: 1s, position: [0m, 0m, 1m]}]",
             "f.yaml:19: physics.tracks.red[1].at: '1s' is not later than the point before"},
        Case{21, "  file: t.csv",
             "f.yaml:21: physics.file: has no robot left: 'tracks' has the waypoints of every one; remove one of the "
             "two"},
        Case{21, "  materials: {brick: {loss: 1 dB}}",
             "f.yaml:21: physics.materials.brick: 'brick' is a built-in material; choose another name"},
        Case{21, "  materials: {fog: {loss: 1000 dB}}",
             "f.yaml:21: physics.materials.fog.loss: '1000 dB' is out of range; allowed: 0 dB to 200 dB"},
        Case{21, "  materials: {fog: {}}", "f.yaml:21: physics.materials.fog: misses the key 'loss'"},
        Case{21, "  obstacles: [{name: w, box: {min: [1m, 0m, 0m], max: [2m, 9m, 0m]}, material: brick}]",
             "f.yaml:21: physics.obstacles[0].box: is empty; max must be larger than min on every axis"},
        Case{21, "  obstacles: [{name: w, box: {min: [1m, 0m], max: [2m, 9m, 0m]}, material: brick}]",
             "f.yaml:21: physics.obstacles[0].box.min: has 2 numbers; give x, y and z, for example [40m, 20m, 0m]"},
        Case{21, "  obstacles: [{name: w, box: {max: [2m, 9m, 0m]}, material: brick}]",
             "f.yaml:21: physics.obstacles[0].box: misses the key 'min'"},
        Case{21, "  obstacles: [{name: w, material: brick}]", "f.yaml:21: physics.obstacles[0]: misses the key 'box'"},
        Case{21, "  obstacles: [{name: w, box: {min: [1m, 0m, 0m], max: [2m, 9m, 3m]}, material: brik}]",
             "f.yaml:21: physics.obstacles[0].material: 'brik' is not a material; did you mean 'brick'? known: brick, "
             "wood"},
        Case{21, "  obstacles: [{name: w, box: {min: [1m, 0m, 0m], max: [2m, 9m, 3m]}, material: wood, wall: 1m}]",
             "f.yaml:21: physics.obstacles[0].wall: '1m' is out of range; allowed: more than 0 m and less than half "
             "the shortest edge, 0.5 m; without `wall` the box is solid"}));

INSTANTIATE_TEST_SUITE_P(
    NetsimLinksLab, ConfigFault,
    testing::Values(
        Case{22, "", "f.yaml:1: misses the key 'netsim'"},
        Case{
            22, "netsim: {type: embedded, map: nowhere.yaml}",
            "f.yaml:22: netsim.map: 'nowhere.yaml' is not a file; name a grid map that `hilgate survey` has processed"},
        Case{22, "netsim: {type: ns4}",
             "f.yaml:22: netsim.type: 'ns4' is not a known value; allowed: embedded, wire, native, rosnetsim, dancers, "
             "trace"},
        Case{23, "links: [{from: red, to: green, loss: 1 %}]",
             "f.yaml:23: links[0].to: 'green' is not a robot or \"*\"; known: red, blue"},
        Case{23, "links: [{from: red, to: red, loss: 1 %}]",
             "f.yaml:23: links[0]: goes from 'red' to 'red'; a robot has no link to itself"},
        Case{23, "links: [{from: [red, green], to: blue, loss: 1 %}]",
             "f.yaml:23: links[0].from[1]: 'green' is not a robot or \"*\"; known: red, blue"},
        Case{23, "links: [{from: [red, red], to: blue, loss: 1 %}]",
             "f.yaml:23: links[0].from[1]: 'red' is given twice"},
        Case{23, "links: [{from: [], to: blue, loss: 1 %}]",
             "f.yaml:23: links[0].from: names no robot; \"*\" stands for all"},
        Case{23, "links: [{from: [red], to: red, loss: 1 %}]",
             "f.yaml:23: links[0]: goes from 'red' to 'red'; a robot has no link to itself"},
        Case{23, "links: [{from: red, to: blue, filter: udp prt 1, loss: 1 %}]",
             "f.yaml:23: links[0].filter: 'udp prt 1' is not a filter: can't parse filter expression: syntax error; "
             "example: udp port 14550 (man pcap-filter)"},
        Case{23, "links: [{from: red, to: blue, filter: '', loss: 1 %}]",
             "f.yaml:23: links[0].filter: is empty; an item about all frames has no filter"},
        Case{23, "links: [{from: red, to: blue, filter: udp, rate: 1 Mbit/s}]",
             "f.yaml:23: links[0].rate: is about all frames of a link; put it into an item without `filter`"},
        Case{23, "links: [{from: red, to: blue, every: 0}]",
             "f.yaml:23: links[0].every: '0' is out of range; allowed: 1 to 1000000 frames"},
        Case{23, "links: [{to: blue, loss: 1 %}]", "f.yaml:23: links[0]: misses the key 'from'"},
        Case{23, "links: [{from: red, to: blue, loss: 1}]",
             "f.yaml:23: links[0].loss: '1' has no unit; a probability needs one of %, ppm; example: 0.1 %"},
        Case{23, "links: [{from: red, to: blue, loss: 101 %}]",
             "f.yaml:23: links[0].loss: '101 %' is not a probability; allowed: 0 % to 100 %"},
        Case{23, "links: [{from: red, to: blue, ber: 2}]",
             "f.yaml:23: links[0].ber: '2' is out of range; allowed: 0 to 1, for example 1e-5"},
        Case{23, "links: [{from: red, to: blue, delay: 2h}]",
             "f.yaml:23: links[0].delay: '2h' is out of range; allowed: 0s to 1h"},
        Case{23, "links: [{from: red, to: blue, policy: drop}]",
             "f.yaml:23: links[0].policy: 'drop' is not a known value; allowed: fcs_drop, arq, corrupt_raw, "
             "corrupt_fixsum, mark_only"},
        Case{24, "lab: {mtu: 1000 B}",
             "f.yaml:24: lab.mtu: '1000 B' is out of range; allowed: 1280 B to 9000 B, because robots have IPv6 "
             "addresses"},
        Case{24, "lab: {prefix: {ipv4: 33}}", "f.yaml:24: lab.prefix.ipv4: '33' is out of range; allowed: 1 to 32"},
        Case{24, "lab: {quiet: maybe}", "f.yaml:24: lab.quiet: 'maybe' is not a boolean; allowed: true, false"}));

INSTANTIATE_TEST_SUITE_P(
    Simulators, ConfigFault,
    testing::Values(
        Case{2, "late: never", "f.yaml:2: late: 'never' is not a known value; allowed: hold_last, discard, halt"},
        Case{2, "lag: two", "f.yaml:2: lag: 'two' is not a known value; allowed: one_window, none"},
        Case{2, "pace: dilate", "f.yaml:1: misses the key 'dilate'"},
        Case{2, "pace: dilate\ndilate: 0 %",
             "f.yaml:3: dilate: '0 %' is out of range; allowed: 1 ppm to 1000 % of wall time (`hilgate pause` stops "
             "simulation time)"},
        Case{2, "pace: follow",
             "f.yaml:2: pace: follow needs physics with a clock, of type native, rosnetsim, dancers, cornet, "
             "robonetsim, "
             "ros2 or mavlink, or a socket that a clock is written to: `follow: {clock: PATH}`"},
        Case{2, "pace: follow\nfollow: {clock: /run/c, slowest: 120 %, fastest: 90 %}",
             "f.yaml:3: follow.slowest: must be below 'fastest'"},
        Case{
            23, "pace: lockstep",
            "f.yaml:23: pace: lockstep waits for simulators in other processes, and physics and netsim are both in the "
            "gateway; use pace wall or dilate"},
        Case{22, "netsim: {type: rosnetsim}",
             "f.yaml:12: robots.blue: needs an IPv4 address under 'ip', which identifies it for the netsim rosnetsim"},
        Case{22, "netsim: {type: native, step: 300us}",
             "f.yaml:22: netsim.step: '300us' does not divide the window of 1 ms"},
        Case{22, "netsim: {type: native, step: 0s}", "f.yaml:22: netsim.step: '0s' does not divide the window of 1 ms"},
        Case{22, "netsim: {type: native, address: udp:1}",
             "f.yaml:22: netsim.address: socket 'udp:1' must begin with unix: or tcp:; write unix:/path/to/socket or "
             "tcp:host:port"},
        Case{22, "netsim: {type: native, address: 'tcp:10.0.0.9:77'}",
             "f.yaml:22: netsim.address: tcp:10.0.0.9:77 is reached from the network, where anybody may pose as the "
             "simulator; write an address of this machine and have a tunnel lead there (ssh -L, stunnel), or "
             "`insecure: true` if no other host is on that network"},
        Case{22, "netsim: {type: native, role: server}",
             "f.yaml:22: netsim.role: 'server' is not a known value; allowed: listen, connect"},
        Case{22, "netsim: {type: native, patience: -1s}",
             "f.yaml:22: netsim.patience: '-1s' is out of range; allowed: 0s (no limit) to 24h"},
        Case{22, "netsim: {type: native, timeout: 48h}",
             "f.yaml:22: netsim.timeout: '48h' is out of range; allowed: 0s (never) to 24h"},
        Case{22, "netsim: {type: native, expiry: 0s}",
             "f.yaml:22: netsim.expiry: '0s' is out of range; allowed: 1ms to 1h of simulated time"},
        Case{22, "netsim: {type: native, answers: both}",
             "f.yaml:22: netsim.answers: 'both' is not a known value; allowed: packets, links"}));

INSTANTIATE_TEST_SUITE_P(
    Clock, ConfigFault,
    testing::Values(
        Case{2, "clock: {source: gps}",
             "f.yaml:2: clock.source: 'gps' is not a known value; allowed: auto, ptp4l, phc, ntpshm, tai, monotonic"},
        Case{2, "clock: {source: tai, socket: /x}",
             "f.yaml:2: clock.socket: belongs to source auto or ptp4l; source is 'tai' here"},
        Case{2, "clock: {source: ptp4l, domain: 128}",
             "f.yaml:2: clock.domain: 128 is out of range; allowed PTP domains: 0 to 127"},
        Case{2, "clock: {source: ptp4l, domain: [0, 1]}",
             "f.yaml:2: clock.domain: has several domains, each with its own ptp4l: 'socket' needs '{domain}' where "
             "their paths differ, for example /run/ptp4l-{domain}"},
        Case{2, "clock: {source: ntpshm, segment: 256}",
             "f.yaml:2: clock.segment: '256' is out of range; allowed: 0 to 255, as ptp4l's ntpshm_segment"},
        Case{2, "clock: {drift: 1 %}",
             "f.yaml:2: clock.drift: '1 %' has the unit '%', which is not a unit of a frequency offset; allowed: ppb, "
             "ppm"},
        Case{2, "clock: {loss_after: 1ms}", "f.yaml:2: clock.loss_after: '1ms' is out of range; allowed: 100ms to 1h"},
        Case{2, "clock: {step: 1s, farthest_step: 1ms}",
             "f.yaml:2: clock.farthest_step: is below 'step', so no jump of the reference would be followed"},
        Case{2, "clock: {serve: [{port: p3}]}",
             "f.yaml:2: clock.serve[0].port: 'p3' is not a port; did you mean 'p1'? known: p1, p2"},
        Case{2, "clock: {serve: [{port: p1, time: sim, epoch: 1969-12-31}]}",
             "f.yaml:2: clock.serve[0].epoch: '1969-12-31' is not a day from 1970-01-01 to 2200-12-31"},
        Case{2, "clock: {serve: [{port: p1, epoch: 2000-01-01}]}",
             "f.yaml:2: clock.serve[0].epoch: applies to simulation time only; wall time has the epoch of its "
             "reference"},
        Case{2, "clock: {serve: [{port: p1, sync_every: 100ms}]}",
             "f.yaml:2: clock.serve[0].sync_every: '100ms' is not a PTP interval; allowed: a power of two of a second "
             "from 7.8125ms to 16s, for example 125ms, 250ms, 500ms, 1s"},
        Case{2, "clock: {serve: [{port: p1}, {port: p1, time: sim}]}",
             "f.yaml:2: clock.serve[1]: is a second master on the same port, transport and domain"},
        Case{2, "pace: dilate\ndilate: 2000 %",
             "f.yaml:3: dilate: '2000 %' is out of range; allowed: 1 ppm to 1000 % of wall time (`hilgate pause` stops "
             "simulation time)"},
        Case{2, "pace: dilate\nwindow: 500us\ndilate: 1000 %",
             "f.yaml:4: dilate: makes windows shorter than 100us of wall time; use a longer 'window' or a slower "
             "pace"}));

TEST(ConfigFaults, AreAllThereAtOnceInTheOrderOfLines) {
  EXPECT_THAT(
      faults_in("windw: 0ms\nports: {p: {interface: a, colour: red}}\nrobots: {red: {}}\nnetsim: {type: wire}"),
      ElementsAre("f.yaml:1: misses the key 'name'", "f.yaml:1: windw: unknown key 'windw'; did you mean 'window'?",
                  testing::StartsWith("f.yaml:2: ports.p.colour: unknown key 'colour'; "),
                  "f.yaml:3: robots.red: misses the key 'port'"));
}

// Two robots with addresses and a wire, with `text` behind it.
std::vector<std::string> faults_with(const std::string& text) {
  return faults_in(
      "name: t\nports: {p: {interface: a}, q: {interface: b}}\n"
      "robots: {red: {port: p, ip: 10.0.0.1}, blue: {port: q, ip: 10.0.0.2}}\n" +
      text);
}

TEST(ConfigFaults, LinksInTheKernelNeedItsProgramToStay) {
  EXPECT_THAT(
      faults_in("name: t\nkernel: {links: true}\n"
                "ports: {p1: {interface: a, fail: none}, p2: {interface: b, fail: none}}\n"
                "robots: {red: {port: p1, ip: 10.0.0.1}, blue: {port: p2, ip: 10.0.0.2}}\nnetsim: {type: wire}\n"),
      ElementsAre("f.yaml:2: kernel.links: needs `fail: wire` or `fail: block` on every port; port 'p1' has none",
                  "f.yaml:2: kernel.links: needs `fail: wire` or `fail: block` on every port; port 'p2' has none"));
}

TEST(ConfigFaults, ForwardedPositionsAreAssignedBySystemId) {
  const auto faults_of_third = [](const std::string& keys) {
    return faults_in(
        "name: t\nports: {p1: {interface: a}, p2: {interface: b}}\nrobots:\n"
        "  red: {port: p1, ip: 10.0.0.1, system_id: 1}\n"
        "  blue: {port: p2, mac: '02:00:00:00:00:02', system_id: 2, positions_from: red}\n"
        "  green: {port: p2, mac: '02:00:00:00:00:03', " +
        keys + "}\nnetsim: {type: wire}\n");
  };
  EXPECT_THAT(faults_of_third("system_id: 3, positions_from: red"), IsEmpty());
  EXPECT_THAT(faults_of_third("system_id: 2"), IsEmpty()) << "by its own packets";
  for (const auto& [id, other] : {std::pair{1, "red"}, std::pair{2, "blue"}}) {
    EXPECT_THAT(faults_of_third(fmt::format("system_id: {}, positions_from: red", id)),
                testing::Contains(fmt::format("f.yaml:6: robots.green.system_id: {} is also that of robot '{}', whose "
                                              "positions come in the same packets",
                                              id, other)));
  }
}

TEST(ConfigFaults, PtpIsServedWhereItIsKept) {
  EXPECT_THAT(faults_in("name: t\nports: {p: {interface: a, ptp: transparent}, q: {interface: b}}\n"
                        "robots: {red: {port: p, ip: 10.0.0.1}, blue: {port: q, ip: 10.0.0.2}}\n"
                        "netsim: {type: wire}\nclock: {serve: [{port: q}, {port: p}]}"),
              ElementsAre("f.yaml:5: clock.serve[1].port: 'p' has ptp: transparent, so PTP from its robots does not "
                          "reach the gateway; remove its `ptp` to serve them time"));
}

TEST(ConfigFaults, AnItemOfLinksWithoutEffectNamesWhatWouldHaveOne) {
  EXPECT_THAT(faults_with("netsim: {type: wire}\nlinks: [{from: red, to: blue}]"),
              ElementsAre(fmt::format("f.yaml:5: links[0]: has no effect; give at least one of delay, ber, policy, "
                                      "protect_headers, path_loss, {}",
                                      fmt::join(impairment_keys(), ", "))));
}

TEST(ConfigFaults, SimulatorsThatCannotGoTogether) {
  EXPECT_THAT(faults_with("pace: lockstep\nnetsim: {type: native, answers: links}"), testing::IsEmpty());
  EXPECT_THAT(faults_with("pace: lockstep\nnetsim: {type: wire}"),
              ElementsAre(testing::StartsWith("f.yaml:4: pace: lockstep waits for simulators in other processes")));
  EXPECT_THAT(faults_with("pace: lockstep\nphysics: {type: cornet}\nnetsim: {type: rosnetsim}"),
              ElementsAre("f.yaml:4: pace: lockstep needs physics that advances in steps, of type trajectory, "
                          "rosnetsim, dancers or native; this type sends positions at any time"));
  EXPECT_THAT(faults_with("pace: lockstep\nnetsim: {type: rosnetsim}\nlinks: [{from: red, to: blue, delay: 1ms}]"),
              ElementsAre("f.yaml:4: pace: with a pace other than wall 'links' cannot use what is timed by the host's "
                          "clock: delay; configure it in the netsim"));
  EXPECT_THAT(
      faults_with("pace: dilate\ndilate: 50 %\nnetsim: {type: wire}\n"
                  "links: [{from: red, to: blue, delay: 1ms, reorder: {probability: 1 %, by: 1ms}}, "
                  "{from: blue, to: red, rate: 1 Mbit/s}]"),
      ElementsAre("f.yaml:4: pace: with a pace other than wall 'links' cannot use what is timed by the host's clock: "
                  "rate and queue, reordering; configure it in the netsim"));
  EXPECT_THAT(faults_with("pace: lockstep\nnetsim: {type: native}\nclock: {serve: [{port: p}]}"),
              ElementsAre("f.yaml:6: clock.serve: cannot be used with pace lockstep, which has no clock to serve"));
  EXPECT_THAT(faults_with("netsim: {type: rosnetsim, compat: true, expiry: 2s}"),
              ElementsAre("f.yaml:4: netsim.expiry: is 50 windows with `compat: true`; remove one of the two"));
  EXPECT_THAT(faults_with("netsim: {type: wire}\nphysics: {type: cornet2, address: here}"),
              ElementsAre("f.yaml:5: physics.address: 'here' is not a host and port; example: 127.0.0.1:12345"));
  EXPECT_THAT(faults_with("netsim: {type: wire}\nphysics: {type: dis, exercise: 0, address: '0.0.0.0:3000'}\n"),
              testing::UnorderedElementsAre(
                  testing::HasSubstr("physics.exercise: '0' is out of range; allowed: 1 to 255"),
                  testing::HasSubstr("physics.address: tcp:0.0.0.0:3000 is reached from the network"),
                  testing::HasSubstr("physics: misses the key 'origin', where x, y and z are 0"),
                  testing::HasSubstr("robot 'red' has no entity: robots.red.id is SITE:APPLICATION:ENTITY"),
                  testing::HasSubstr("robot 'blue' has no entity")));
  EXPECT_THAT(faults_with("netsim: {type: wire}\nphysics: {type: cot, group: 10.0.0.1, stale: 10ms, stamps: on}\n"),
              testing::UnorderedElementsAre(
                  testing::HasSubstr("physics.group: '10.0.0.1' is no multicast address; example: 239.2.3.1"),
                  testing::HasSubstr("physics.stale: '10ms' is out of range; allowed: 1s to 24h"),
                  testing::HasSubstr("physics.stamps: 'on' is not a known value; allowed: check, ignore"),
                  testing::HasSubstr("physics: misses the key 'origin', where x, y and z are 0")));
  EXPECT_THAT(faults_with("netsim: {type: wire}\nphysics: {type: avens}"),
              ElementsAre("f.yaml:5: physics: misses the key 'file'"));
  EXPECT_THAT(faults_with("netsim: {type: dancers, expiry: 2s}"),
              ElementsAre("f.yaml:4: netsim.expiry: belongs to type native or rosnetsim; type is 'dancers' here"));
}

TEST(ConfigFaults, KeysOfAnotherTypeBelongToIt) {
  const auto faults_with = [](const std::string& tail) {
    return faults_in(
        "name: x\nports: {p: {interface: eth9}, q: {interface: eth8}}\n"
        "robots: {r: {port: p}, s: {port: q}}\n" +
        tail);
  };
  EXPECT_THAT(faults_with("netsim: {type: wire, traces: [{from: r, to: s, file: x.csv}]}\n"),
              ElementsAre("f.yaml:4: netsim.traces: belongs to type embedded or trace; type is 'wire' here"));
  EXPECT_THAT(faults_with("netsim: {type: wire}\nphysics: {type: trajectory, tracks: {}, jumps: take}\n"),
              testing::Contains("f.yaml:5: physics.jumps: belongs to type mavlink; type is 'trajectory' here"));
  EXPECT_THAT(
      faults_with("netsim: {type: wire}\nlinks: [{from: r, to: s, loss: {model: burst, to_bad: 1 %}}]\n"),
      testing::Contains("f.yaml:5: links[0].loss.to_bad: belongs to model gilbert_elliott; model is 'burst' here"));
  EXPECT_THAT(faults_with("netsim: {type: wire}\ndilate: 50 %\n"), testing::Contains(HasSubstr("dilate: ")));
  EXPECT_THAT(faults_in("name: x\nports: {p: {interface: eth9, baud: 57600}}\nrobots: {r: {port: p}}\n"
                        "netsim: {type: wire}\n"),
              testing::Contains("f.yaml:2: ports.p.baud: belongs to driver pty or serial; driver is not given"));
}

TEST(ConfigFaults, ExtensionsAndMergeKeysMakeAConfigurationShort) {
  EXPECT_THAT(faults_in("name: x\nx-port: &port {xdp: generic}\nx-by: a tool\n"
                        "ports: {p: {<<: *port, interface: eth9}, q: {<<: *port, interface: eth8}}\n"
                        "robots: {r: {port: p}, s: {port: q}}\nnetsim: {type: wire}\n"),
              IsEmpty());
}

TEST(ConfigFaults, GoodFileHasNone) {
  EXPECT_THAT(faults_in(good_yaml()), IsEmpty());
}

TEST(ConfigFaults, EmptyFileIsReported) {
  EXPECT_THAT(faults_in(""), ElementsAre("f.yaml:1: is empty; a map of 'key: value' pairs is expected"));
}

TEST(ConfigFaults, MoreKindsOfTrafficThanAProgramHasRoomFor) {
  std::string items = "ssh";
  for (int i = 0; i < 16; ++i) {
    items += ", ssh";
  }
  EXPECT_THAT(faults_in(with_line(2, "kernel: {pass: [" + items + "]}")),
              ElementsAre("f.yaml:2: kernel.pass: has 17 items; the maximum is 16"));
}

TEST(ConfigFaults, EmbeddedNetsimNeedsPhysics) {
  EXPECT_THAT(faults_in("name: t\nports: {p: {interface: a}}\nrobots: {red: {port: p, radio: wifi_other}}\n"
                        "netsim: {type: embedded}"),
              ElementsAre("f.yaml:1: misses the key 'physics'"));
}

TEST(ConfigFaults, EmptyMapsOfPortsAndRobots) {
  EXPECT_THAT(faults_in("name: t\nports: {}\nrobots: {}\nnetsim: {type: wire}"),
              ElementsAre("f.yaml:2: ports: is empty; define at least one port",
                          "f.yaml:3: robots: has 0 robots; allowed: 1 to 1024"));
}

TEST(ConfigFaults, RobotsThatShareAPortNeedMacsAndNoLab) {
  EXPECT_THAT(
      faults_in("name: t\nports: {p: {interface: a}}\nnetsim: {type: wire}\nrobots:\n"
                "  red: {port: p, mac: 02:00:00:00:00:01}\n  blue: {port: p}\nlab: {}"),
      ElementsAre("f.yaml:6: robots.blue: misses the key 'mac', because robot 'red' is on the same port",
                  "f.yaml:7: lab: robots 'red' and 'blue' are both on port 'p'; in a lab every robot has a port of "
                  "its own"));
}

TEST(ConfigFaults, AnIsolatedPortNeedsOneMacPerRobotAndIsNoWire) {
  EXPECT_THAT(
      faults_in("name: t\nports: {p: {interface: a, isolated: true, fail: wire}}\nnetsim: {type: wire}\nrobots:\n"
                "  red: {port: p, mac: [02:00:00:00:00:01, 02:00:00:00:00:02]}\n"
                "  blue: {port: p, mac: 02:00:00:00:00:03}"),
      ElementsAre("f.yaml:2: ports.p.fail: 'wire' excludes 'isolated': the kernel cannot hand a group frame, and so no "
                  "ARP, to one robot of a port and not to its sender; use 'block'",
                  "f.yaml:5: robots.red: has 2 MAC addresses; a robot of port 'p' needs exactly one, because the port "
                  "is isolated"));
}

TEST(ConfigFaults, ASharedAddressIsOfRobotsOfSeveralPortsAndOfOneCore) {
  const std::string shared = "mac: [{address: 02:00:00:00:00:09, shared: true}, ";
  const std::string robots = "netsim: {type: wire}\nrobots:\n  red: {port: p, " + shared +
                             "02:00:00:00:00:01]}\n  blue: {port: q, " + shared + "02:00:00:00:00:02]}\n";
  const std::string ports = "ports: {p: {interface: a, fail: block}, q: {interface: b, fail: block}}\n";
  EXPECT_THAT(faults_in("name: t\n" + ports + robots), IsEmpty());
  EXPECT_THAT(faults_in("name: t\n" + ports + robots + "  green: {port: q, " + shared + "02:00:00:00:00:03]}\n"),
              ElementsAre("f.yaml:7: robots.green.mac: '02:00:00:00:00:09' is shared with robot 'blue' in line 6, "
                          "which is on the same port; robots that share an address need a port each"));
  EXPECT_THAT(faults_in("name: t\n" + ports + robots + "kernel: {links: true}\n"),
              Contains("f.yaml:7: kernel.links: excludes a shared `mac`, as robot 'red' has; the kernel does not see "
                       "which robot has sent from it last"));
  EXPECT_THAT(
      faults_in("name: t\n" + ports + robots + "packet_loop: {cores: [{ports: [p]}, {ports: [q]}]}\n"),
      Contains("f.yaml:7: packet_loop.cores: cannot be several with a shared `mac`, as robot 'red' has; use one "
               "core"));
}

TEST(ConfigFaults, VlansOfATrunkAreOnePerRobotAndNeedTags) {
  const std::string good = "name: t\nports: {p: {interface: a}, q: {interface: b}}\nnetsim: {type: wire}\nrobots:\n";
  EXPECT_THAT(faults_in(good + "  red: {port: p, mac: 02:00:00:00:00:01, vlan: 10}\n"
                               "  blue: {port: p, mac: 02:00:00:00:00:02, vlan: 10}\n"
                               "  green: {port: p, mac: 02:00:00:00:00:03}\n"
                               "  white: {port: q, mac: 02:00:00:00:00:01, vlan: 4095}"),
              ElementsAre("f.yaml:6: robots.blue.vlan: 10 already belongs to robot 'red' in line 5, on the same port",
                          "f.yaml:7: robots.green: misses the key 'vlan', because robot 'red' on the same port has one",
                          "f.yaml:8: robots.white.vlan: '4095' is out of range; allowed: 1 to 4094",
                          "f.yaml:8: robots.white.mac: '02:00:00:00:00:01' already belongs to robot 'red' in line 5"));
  EXPECT_THAT(
      faults_in("name: t\nports:\n  p: {interface: a, isolated: true}\n"
                "  q: {interface: b, fail: wire}\nnetsim: {type: wire}\nrobots:\n"
                "  red: {port: p, mac: 02:00:00:00:00:01, vlan: 10}\n  blue: {port: q}"),
      ElementsAre(
          "f.yaml:3: ports.p.isolated: excludes the `vlan` of its robots, which keeps them apart; remove one of "
          "them",
          "f.yaml:4: ports.q.fail: 'wire' would pass frames between ports without changing tags, and robots of "
          "port 'p' have a `vlan`; use 'block'"));
}

/// A configuration file beside a CSV file, gone with the test.
class CsvFault : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string message(const std::string& csv, const std::string& keys = "") {
    std::ofstream(folder_ / "c.yaml") << "name: t\nports: {p: {interface: a}}\nrobots: {red: {port: p}}\n"
                                         "netsim: {type: wire}\nphysics: {type: trajectory, file: t.csv"
                                      << keys << "}\n";
    std::ofstream(folder_ / "t.csv") << csv;
    try {
      const auto config = load_configuration(folder_ / "c.yaml", some_names());
      return std::to_string(config.physics->tracks[0].size()) + " points";
    } catch (const ConfigError& error) {
      return error.what();
    }
  }
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("hgt-config-" + std::to_string(getpid()));
};

TEST_F(CsvFault, TheFileMayBeALog) {
  EXPECT_EQ(message("0.0 1.0 2.0 10.0 3.0 4.0\n"), "2 points");
  EXPECT_EQ(message("0.0 1.0 2.0 10.0 3.0 4.0\n", ", names: {red: node0}, time: first"), "2 points");
  EXPECT_THAT(message("0.0 1.0 2.0 10.0 3.0 4.0\n", ", names: {red: node7}"),
              testing::HasSubstr("t.csv: has no track 'node7' for robot 'red'; did you mean 'node0'?"));
  EXPECT_THAT(message("0.0 1.0 2.0 10.0 3.0 4.0\n", ", time: noon"),
              testing::HasSubstr("'noon' is no time of a log; allowed: first, absolute, or an instant"));
  EXPECT_THAT(message("0.0 1.0 2.0 10.0 3.0 4.0\n", ", origin: {latitude: 47, longitude: 8}"),
              testing::HasSubstr("do not go together with an origin on the earth"));
  EXPECT_THAT(message("t_s,robot,x_m,y_m,z_m\n0,red,1,2,3\n", ", time: first"),
              testing::HasSubstr("the keys names and time are for logs"));
  EXPECT_EQ(message("t_s,robot,x_m,y_m,z_m\n0,red,1,2,3\n", ", origin: {latitude: 47, longitude: 8}"), "1 points")
      << "its metres are those of the origin";
}

TEST_F(CsvFault, RobotsThatTheFileHasNotAreInTracks) {
  std::ofstream(folder_ / "c.yaml") << "name: t\nports: {p: {interface: a}, q: {interface: b}}\n"
                                       "robots: {mast: {port: p}, drone: {port: q}}\nnetsim: {type: wire}\n"
                                       "physics: {type: trajectory, file: t.log,\n"
                                       "  tracks: {mast: [{at: 0s, position: [7m, 8m, 9m]}]}}\n";
  std::ofstream(folder_ / "t.log") << "0.0 1.0 2.0 10.0 3.0 4.0\n";
  const Configuration config = load_configuration(folder_ / "c.yaml", some_names());
  const std::vector<Track>& tracks = config.physics->tracks;
  ASSERT_EQ(tracks.size(), 2U);
  ASSERT_EQ(tracks[0].size(), 1U);
  EXPECT_EQ(tracks[0][0].position, (Vec3{7, 8, 9}));
  ASSERT_EQ(tracks[1].size(), 2U) << "the only track is that of the only robot without waypoints";
  EXPECT_EQ(tracks[1][1].position, (Vec3{3, 4, 0}));
  EXPECT_THAT(
      message("0.0 1.0 2.0 10.0 3.0 4.0\n", ", names: {red: node0}, tracks: {red: [{at: 0s, position: [7m, 8m, 9m]}]}"),
      testing::AllOf(testing::HasSubstr("physics.names.red: robot 'red' has its waypoints in 'tracks'; remove one"),
                     testing::HasSubstr("physics.file: has no robot left")));
}

TEST_F(CsvFault, NamesTheCsvFileAndLine) {
  EXPECT_EQ(message("t_s,robot,x_m,y_m,z_m\n0,red,1,2,3\n1,red,1,2,3\n"), "2 points");
  EXPECT_THAT(message("t_s,robot,x_m,y_m,z_m\n0,red,1,2,3\n1,red,x,2,3\n"),
              testing::StartsWith((folder_ / "t.csv").string() + ":3: 'x' is not a number"));
}

TEST(ConfigFaults, ABodyTakesNothingOrSomethingOff) {
  const auto faults = [](const std::string& loss) {
    return faults_in(with_line(11, "    radio: wifi_other\n    antenna: {body_loss: {" + loss + "}}\n"));
  };
  EXPECT_THAT(faults("lower: 0 dB, upper: 60 dB"), testing::IsEmpty());
  EXPECT_THAT(faults("upper: -1 dB"), ElementsAre(HasSubstr("upper: '-1 dB' is out of range; allowed: 0 dB to 60 dB")));
  EXPECT_THAT(faults("under: 3 dB"), ElementsAre(HasSubstr("under")));
}

}  // namespace
}  // namespace hilgate::test
