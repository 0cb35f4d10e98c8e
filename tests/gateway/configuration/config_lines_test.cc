// SPDX-License-Identifier: Apache-2.0
// Configurations with serial lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frame/serial_frame.h"
#include "tests/gateway/configuration/config_fixture.h"

namespace hilgate::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Lines 1 to 9.
std::string line_yaml(const std::string& port, const std::string& robot = {}, const std::string& further = {}) {
  return "name: t\nports:\n  p1: {driver: pty}\n  p2: {" + port + "}\nrobots:\n  red: {port: p1}\n  blue: {port: p2" +
         robot + "}\nnetsim: {type: wire}\n" + further;
}

TEST(ConfigLines, TheExampleHasEveryKey) {
  KnownNames names = some_names();
  names.radios = [](const auto&) { return std::vector<std::string>{"sik_915_64k"}; };
  const Configuration configuration = load_configuration(HILGATE_SOURCE_DIR "/examples/serial/lines.yaml", names);
  EXPECT_EQ(configuration.ports[0].driver, PortDriver::kPty);
  EXPECT_EQ(configuration.ports[0].fail, FailMode::kNone);
  const SerialPortConfig& line = configuration.ports[1].serial;
  EXPECT_EQ(line.baud, 57'600U);
  EXPECT_EQ(line.flow, SerialFlow::kNone);
  EXPECT_EQ(line.framing, SerialFraming::kMavlink);
  EXPECT_EQ(line.buffer_bytes, 2048U);
  EXPECT_THAT(configuration.robots[1].macs, ElementsAre(serial_mac(PortSlot{1})));
  EXPECT_TRUE(configuration.robots[1].radio_status);
  EXPECT_TRUE(tap_of(configuration).on);
}

TEST(ConfigLines, ReadsDevices) {
  const Configuration configuration = read_yaml(
      line_yaml("driver: serial, device: /dev/ttyS1, baud: 115200, flow: rtscts, framing: raw, buffer: 1 KiB"));
  const SerialPortConfig& line = configuration.ports[1].serial;
  EXPECT_EQ(line.device, "/dev/ttyS1");
  EXPECT_EQ(line.baud, 115'200U);
  EXPECT_EQ(line.flow, SerialFlow::kRtsCts);
  EXPECT_EQ(line.framing, SerialFraming::kRaw);
  EXPECT_EQ(line.buffer_bytes, 1024U);
  EXPECT_FALSE(configuration.robots[1].radio_status) << "no MAVLink, no RADIO_STATUS";
  EXPECT_THAT(faults_in(line_yaml("interface: hg-a", ", mac: 02:00:00:00:00:02")), IsEmpty()) << "both in one run";
}

TEST(ConfigLines, ReportsKeysThatLinesCannotHave) {
  EXPECT_THAT(faults_in(line_yaml("driver: serial")), ElementsAre("f.yaml:4: ports.p2: misses the key 'device'"));
  EXPECT_THAT(faults_in(line_yaml("driver: serial, device: ttyUSB0")),
              ElementsAre("f.yaml:4: ports.p2.device: 'ttyUSB0' is not a path; give one as /dev/ttyUSB0, or "
                          "/dev/serial/by-id/..., which stays the same when devices are plugged in another order"));
  EXPECT_THAT(faults_in(line_yaml("driver: serial, device: /dev/a}\n  p3: {driver: serial, device: /dev/a")),
              ElementsAre("f.yaml:5: ports.p3.device: '/dev/a' is already the device of port 'p2' in line 4"));
  for (const std::string baud : {"12000001", "49", "-1", "1.87M", "420 kbit/s"}) {
    EXPECT_THAT(faults_in(line_yaml("driver: pty, baud: " + baud)),
                ElementsAre("f.yaml:4: ports.p2.baud: '" + baud + "' is not a whole number from 50 to 12000000"));
  }
  for (const char* const baud : {"420000", "5250000", "12000000"}) {
    EXPECT_THAT(faults_in(line_yaml(std::string("driver: pty, baud: ") + baud)), testing::IsEmpty())
        << "as CRSF has them, and the fastest adapters";
  }
  EXPECT_THAT(faults_in(line_yaml("driver: pty, buffer: 10 B")),
              ElementsAre("f.yaml:4: ports.p2.buffer: '10 B' is out of range; allowed: 512 B to 64 KiB"));
  EXPECT_THAT(faults_in(line_yaml("driver: pty, flow: xonxoff")),
              ElementsAre("f.yaml:4: ports.p2.flow: 'xonxoff' is not a known value; allowed: none, rtscts"));
  EXPECT_THAT(faults_in(line_yaml("driver: pty", ", ip: 10.0.0.2")),
              ElementsAre("f.yaml:7: robots.blue.ip: cannot be given: the robot's port is a serial line, which has no "
                          "addresses and carries bytes"));
  EXPECT_THAT(faults_in(line_yaml("driver: pty", "}\n  green: {port: p2")),
              ElementsAre("f.yaml:8: robots.green.port: is a serial line and has robot 'blue' at its end; a line has "
                          "one robot"));
  EXPECT_THAT(faults_in(line_yaml("driver: pty", {}, "clock: {serve: [{port: p2}]}\n")),
              ElementsAre("f.yaml:9: clock.serve[0].port: 'p2' is a serial line, which carries no PTP"));
}

TEST(ConfigLines, ReportsKeysThatConflictWithLines) {
  std::string packets = line_yaml("driver: pty");
  packets.replace(packets.find("{type: wire}"), 12, "{type: native}");
  EXPECT_THAT(faults_in(packets),
              ElementsAre("f.yaml:8: netsim: cannot judge packets of serial lines, which have no addresses; use "
                          "`embedded`, `wire` or a simulator that answers with links"));
  EXPECT_THAT(faults_in(line_yaml("driver: dpdk, device: net_null0", ", mac: 02:00:00:00:00:02")),
              ElementsAre("f.yaml:4: ports.p2: differs from the driver of port 'p1' in line 3; with DPDK (drivers "
                          "dpdk, memif and vhost_user), all ports of a run use it (it reaches kernel interfaces with "
                          "`driver: dpdk` and its devices net_af_xdp and net_af_packet, and no serial lines)"));
}

}  // namespace
}  // namespace hilgate::test
