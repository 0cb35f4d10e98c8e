// SPDX-License-Identifier: Apache-2.0
// Captures, of the gateway and of other programs, pcapng and pcap: what is read lies within the file, and frames come
// in in the order of time, addressed as robots of the configuration.
#include <stdexcept>

#include "gateway/record/pcapng/pcapng_reader.h"
#include "gateway/replay/captured_frames.h"
#include "gateway/replay/recorded_fates.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

// The robots of the seeds: one with a MAC address, one with an IP address alone, one with a VLAN.
Configuration three_robots() {
  Configuration configuration;
  for (std::uint32_t i = 0; i < 3; ++i) {
    configuration.ports.push_back({.name = std::string(1, static_cast<char>('a' + i))});
    RobotConfig robot;
    robot.name = configuration.ports.back().name;
    robot.port = PortIndex{i};
    configuration.robots.push_back(robot);
  }
  configuration.robots[0].macs.push_back(MacAddress(0x0200'5E00'000A));
  configuration.robots[1].ips.push_back(*IpAddress::parse("10.0.0.2"));
  configuration.robots[2].macs.push_back(MacAddress(0x0200'5E00'000C));
  configuration.robots[2].ips.push_back(*IpAddress::parse("10.0.0.3"));
  configuration.robots[2].vlan = 7;
  return configuration;
}

void read_packets(const std::string& file, std::uint64_t size) {
  PcapngReader reader(file);
  std::uint64_t bytes = 0;
  for (CapturedFrame frame; reader.next(frame);) {
    bytes += frame.bytes.size();
    require(bytes <= size && reader.readable() <= size, "what is read is in the file");
    (void)drop_in(frame);
  }
}

void enter(const std::string& file) {
  static const Configuration configuration = three_robots();
  CapturedFrames frames(configuration, file);
  std::uint64_t before = 0;
  for (EnteringFrame frame; frames.next(frame);) {
    require(frame.at.nanoseconds >= before, "frames come in in the order of time");
    require(frame.port.value() < configuration.ports.size(), "by a port that is there");
    before = frame.at.nanoseconds;
    if (frame.robot && !configuration.robots[frame.robot->value()].macs.empty()) {
      const auto ethernet = parse_ethernet(frame.bytes);
      require(ethernet && ethernet->source == configuration.robots[frame.robot->value()].macs.front(),
              "from the address of the robot");
    }
  }
}

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  using namespace hilgate::test;
  static MemoryFile memory;
  const std::string& file = memory.with({reinterpret_cast<const char*>(data), size});
  for (const int use : {0, 1, 2}) {
    try {
      if (use == 0) {
        read_packets(file, size);
      } else if (use == 1) {
        enter(file);
      } else {
        (void)RecordedFates::of(file);
      }
    } catch (const std::runtime_error&) {  // NOLINT(bugprone-empty-catch): refused
    }
  }
  return 0;
}
