// SPDX-License-Identifier: Apache-2.0
// A robot that speaks MAVLink as no vehicle does; the control thread hears it beside the windows.
#include <cstring>

#include "physics_link/mavlink/frame.h"
#include "tests/fault/peers/peer_fault.h"
#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t kGroundStation = 14550;

class MavlinkPeers : public PeerFault {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    start_between({.further = "mavlink: {ports: [14550]}\n"});
    begin_quietly();
  }
  static Bytes datagram(const std::string& data) {
    Bytes bytes(data.size());
    std::memcpy(bytes.data(), data.data(), data.size());
    return ip_frame({.destination = robot_mac(kGreen), .source = robot_mac(kMallory)},
                    {.source = NetLab::ipv4(kMallory), .destination = NetLab::ipv4(kGreen)}, 17,
                    udp(bytes, kGroundStation, kGroundStation));
  }
  static std::string message(std::uint8_t system, std::uint8_t component, std::uint32_t id, std::uint8_t extra,
                             std::size_t bytes, std::uint8_t fill) {
    return mavlink::write_frame({.sequence = component, .system = system, .component = component}, id, extra,
                                Bytes(bytes, fill));
  }
};

TEST_F(MavlinkPeers, FloodOfMessages) {
  constexpr std::size_t kMostSystems = 256;
  std::vector<Bytes> frames;
  for (unsigned n = 0; n < 4096; ++n) {
    frames.push_back(
        datagram(message(static_cast<std::uint8_t>(n), static_cast<std::uint8_t>(n / 256 * 17), 0, 50, 9, 3)));
    // A position far from the last one, and whole frames with a wrong checksum before one that is cut off.
    frames.push_back(datagram(message(1, 1, 33, 104, 28, static_cast<std::uint8_t>(n * 37))));
    const std::string wrong = message(static_cast<std::uint8_t>(n), 1, 0, 51, 9, 3);
    frames.push_back(datagram(wrong + wrong + wrong.substr(0, n % wrong.size()) + "\xfd\xff\xfd"));
  }
  const std::size_t sent = flood(frames, 1s);
  const auto heard = status_json().at("mavlink");
  EXPECT_LE(heard.at("systems").size(), kMostSystems);
  EXPECT_GT(heard.at("systems").size(), 0U);
  conclude_windows(
      {"A robot floods with MAVLink: HEARTBEAT of 255 systems with 16 components each, positions that jump "
       "about the globe, frames that are cut off or have wrong checksums",
       "256 systems at most; what is too much for the control thread is left out and counted",
       fmt::format("{} datagrams; {} systems told apart, {} frames not heard", sent, heard.at("systems").size(),
                   heard.at("missed").get<std::uint64_t>())},
      {Side::kPhysics, Side::kNetsim});
}

}  // namespace
}  // namespace hilgate::test
